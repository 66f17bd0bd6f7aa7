package kubectl

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// A Framework that is in neither place is one error, without a note that something is from the history.
func TestNeitherInClusterNorInHistory(t *testing.T) {
	streams, _, _, notes := genericiooptions.NewTestIOStreams()
	l := &looking{historyFlags: historyFlags{caller: &caller{IOStreams: streams}}}
	inCluster := &cluster{namespace: "default"}
	note := func(f *found, problem error) (string, error) {
		notes.Reset()
		err := l.fromHistory(f, "train", problem)
		return notes.String(), err
	}
	unknown := errors.New("the history has no Framework of that name")

	said, err := note(&found{cluster: inCluster}, unknown)
	require.EqualError(t, err, "framework train is not in namespace default: the history has no Framework of that name")
	require.Empty(t, said)

	said, err = note(&found{cluster: inCluster}, nil)
	require.NoError(t, err)
	require.Equal(t, "Framework train is not in namespace default. This is from the history.\n", said)

	for name, f := range map[string]*found{"in the cluster": {cluster: inCluster, stored: &stored{}}, "without a cluster": {}} {
		said, err = note(f, unknown)
		require.Equal(t, unknown, err, name)
		require.Empty(t, said, name)
	}
}

// Each command prints the default of a flag only if there is one.
func TestHelpHasNoEmptyDefaults(t *testing.T) {
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	for _, cmd := range New(streams).Commands() {
		out.Reset()
		cmd.SetOut(out)
		require.NoError(t, cmd.Help())
		require.NotContains(t, out.String(), "(default )", cmd.Name())
		require.NotZero(t, bytes.Count(out.Bytes(), []byte("--help")), cmd.Name())
	}
}

func TestRolesInMessages(t *testing.T) {
	require.Equal(t, "it has no roles", theRoles(nil))
	require.Equal(t, "its only role is worker", theRoles([]string{"worker"}))
	require.Equal(t, "its roles are ps, worker", theRoles([]string{"ps", "worker"}))
}
