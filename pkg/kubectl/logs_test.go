package kubectl

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func keptBy(c *caller) keptLogs {
	return keptLogs{looking: looking{historyFlags: historyFlags{caller: c}, number: -1}, taskAttempt: -1}
}

func podOf(name string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default", Labels: map[string]string{v1.KeyFrameworkName: "train"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main"}, {Name: "sidecar"}}},
	}
}

// With -c, Pods without that container are left out, and a container that no Pod has is refused, with the names that exist. A Pod may have
// more containers than its template.
func TestLogsOfOneContainer(t *testing.T) {
	debugged := podOf("train-ps-0")
	debugged.Spec.EphemeralContainers = []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "debugger"}}}
	k := &cluster{core: fake.NewClientset(podOf("train-worker-0"), debugged), namespace: "default", within: time.Minute}
	template := v1.PodTemplate(`{"spec": {"initContainers": [{"name": "prepare"}], "containers": [{"name": "main"}]}}`)
	s := &stored{Framework: v1.Framework{
		ObjectMeta: metav1.ObjectMeta{Name: "train"},
		Spec:       v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "worker", Task: v1.TaskSpec{Pod: template}}}},
	}}
	tests := map[string]struct {
		container string
		chosen    []target
		want, err string
	}{
		"of both":        {"sidecar", nil, "[ps-0] fake logs\n[worker-0] fake logs\n", ""},
		"of one":         {"debugger", nil, "[ps-0] fake logs\n", ""},
		"of a template":  {"prepare", nil, "", ""},
		"of none":        {"nobody", nil, "", `none of these Pods of Framework train has a container "nobody": their containers are debugger, main, prepare, sidecar`},
		"of another one": {"debugger", []target{{"worker", -1}}, "", `none of these Pods of Framework train has a container "debugger": their containers are main, prepare, sidecar`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			l := &logging{keptLogs: keptBy(&caller{IOStreams: streams}), tail: -1, container: tt.container}
			err := l.checkContainer(t.Context(), k, s, tt.chosen)
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			require.NoError(t, l.printAll(t.Context(), k, s, tt.chosen))
			if out.String() != tt.want {
				t.Errorf("got %q, want %q", out, tt.want)
			}
		})
	}
}

// Lines are printed with their Task, in the order of roles and indices; only lines of the chosen Tasks.
func TestLogs(t *testing.T) {
	client := fake.NewClientset(podOf("train-worker-10"), podOf("train-worker-2"), podOf("train-ps-0"))
	k := &cluster{core: client, namespace: "default", within: time.Minute}
	tests := map[string]struct {
		chosen []target
		want   string
	}{
		"all":    {nil, "[ps-0] fake logs\n[worker-2] fake logs\n[worker-10] fake logs\n"},
		"a role": {[]target{{"worker", -1}}, "[worker-2] fake logs\n[worker-10] fake logs\n"},
		"Tasks":  {[]target{{"worker", 10}, {"ps", 0}}, "[ps-0] fake logs\n[worker-10] fake logs\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			l := &logging{keptLogs: keptBy(&caller{IOStreams: streams}), tail: -1}
			require.NoError(t, l.printAll(t.Context(), k, &stored{Framework: v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train"}}}, tt.chosen))
			if out.String() != tt.want {
				t.Errorf("got %q, want %q", out, tt.want)
			}
		})
	}
}

// The flags for logs are passed to the API server: -c for any container, --since in whole seconds, at least one.
func TestLogOptions(t *testing.T) {
	seconds := func(n int64) *int64 { return &n }
	tests := map[string]struct {
		flags []string
		want  corev1.PodLogOptions
	}{
		"none":      {nil, corev1.PodLogOptions{Container: "main"}},
		"-c":        {[]string{"-c", "sidecar"}, corev1.PodLogOptions{Container: "sidecar"}},
		"--since":   {[]string{"--since", "10m"}, corev1.PodLogOptions{Container: "main", SinceSeconds: seconds(600)}},
		"a moment":  {[]string{"--since", "10ms"}, corev1.PodLogOptions{Container: "main", SinceSeconds: seconds(1)}},
		"--tail":    {[]string{"--tail", "0"}, corev1.PodLogOptions{Container: "main", TailLines: seconds(0)}},
		"previous":  {[]string{"-p"}, corev1.PodLogOptions{Container: "main", Previous: true}},
		"all three": {[]string{"-c", "sidecar", "--since", "1h", "--tail", "5"}, corev1.PodLogOptions{Container: "sidecar", SinceSeconds: seconds(3600), TailLines: seconds(5)}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset(podOf("train-worker-0"))
			streams, _, out, _ := genericiooptions.NewTestIOStreams()
			l := &logging{keptLogs: keptBy(&caller{IOStreams: streams})}
			cmd := &cobra.Command{}
			l.addFlags(cmd)
			require.NoError(t, cmd.ParseFlags(tt.flags))
			k := &cluster{core: client, namespace: "default", within: time.Minute}
			require.NoError(t, l.printAll(t.Context(), k, &stored{Framework: v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train"}}}, nil))
			last := client.Actions()[len(client.Actions())-1]
			asked, ok := last.(clienttesting.GenericAction)
			if !ok || !equality.Semantic.DeepEqual(asked.GetValue(), &tt.want) {
				t.Errorf("asked %+v for %+v", last, tt.want)
			}
			if out.String() != "[worker-0] fake logs\n" {
				t.Errorf("got %q", out)
			}
		})
	}
}

// A line that does not end gets its end, and very long lines stay whole.
func TestCopiedLines(t *testing.T) {
	streams, _, out, _ := genericiooptions.NewTestIOStreams()
	l := &logging{keptLogs: keptBy(&caller{IOStreams: streams})}
	long := strings.Repeat("x", 200_000)
	require.NoError(t, l.copy("ps-0", 0, strings.NewReader("a\n"+long+"\nend")))
	if want := "[ps-0] a\n[ps-0] " + long + "\n[ps-0] end\n"; out.String() != want {
		t.Errorf("got %d bytes, want %d", out.Len(), len(want))
	}
	if err := l.copy("ps-0", 0, io.MultiReader(strings.NewReader("a"), broken{})); err == nil {
		t.Error("a broken connection is no error")
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("broken") }
