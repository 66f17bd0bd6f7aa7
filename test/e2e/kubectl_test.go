package e2e

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A user with only kubectl can do all of this.
func TestKubectl(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.kubectl("apply", "-f", exampleDir+"batchsucceeded.yaml")
	s.kubectl("wait", "--for=condition=Completed", "framework/batchsucceeded", fmt.Sprintf("--timeout=%s", patience))
	lines := strings.Split(s.kubectl("get", "fw"), "\n")
	wants := []string{
		"NAME STATE ATTEMPT RUNNING SUCCEEDED FAILED TOTAL AGE CUTSHORT",
		`batchsucceeded Completed 0 0 1 0 1 \d+s`,
	}
	for i, want := range wants {
		if got := strings.Join(strings.Fields(lines[i]), " "); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	s.awaitCondition("batchsucceeded", v1.ConditionFailed, metav1.ConditionFalse, "Succeeded")
	s.kubectl("delete", "fw", "batchsucceeded", "--cascade=foreground", fmt.Sprintf("--timeout=%s", patience))
}

// kubectl runs kubectl in the story's namespace and returns its output.
func (s *story) kubectl(args ...string) string {
	s.t.Helper()
	out, err := s.tryKubectl(s.t.Context(), args...)
	require.NoError(s.t, err)
	return out
}

// tryKubectl keeps kubectl's cache with the cluster: another cluster may get the same address one day.
func (s *story) tryKubectl(ctx context.Context, args ...string) (string, error) {
	args = append(args, "--namespace="+s.namespace, "--cache-dir="+kube.Dir+"/kubectl-cache")
	out, err := kube.Command(ctx, kube.Kubectl, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}
