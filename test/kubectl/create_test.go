package kubectl

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A one-line Framework is accepted by the API server without a warning, and runs.
func TestCreate(t *testing.T) {
	t.Parallel()
	s := newScene(t, "creating")
	var text []string
	run := func(line string) {
		t.Helper()
		flags, command, _ := strings.Cut(line, " -- ")
		args := append(strings.Fields(flags), "-n", s.namespace)
		if command != "" {
			args = append(append(args, "--"), strings.Fields(command)...)
		}
		text = append(text, transcript(t, args...))
	}
	text = append(text, transcript(t, strings.Fields("create train --role worker=4 --image registry.example.com/train:1 --gpu 8 --gang --dry-run=client -o yaml -- python train.py")...))
	run("create train --role worker=4 --image registry.example.com/train:1 --cpu 100m --retries 2 --dry-run=server -- python train.py")
	run("create train --role worker=4 --image registry.example.com/train:1 --cpu 100m --retries 2 -- python train.py")
	run("wait train --for=running")
	f := s.until("train", "running", runs)
	if role := f.Spec.TaskRoles[0]; role.TaskNumber != 4 || role.Task.RetryPolicy.MaxRetryCount != 2 || f.Status.Tasks.Total != 4 {
		t.Errorf("%+v", role)
	}
	run("create train --image registry.example.com/train:1")
	run("create everything --role ps=1 --role worker=3 --image train:1 --image ps=serve:1 --gpu worker=8 --cpu 4 --memory 16Gi -e EPOCHS=10 " +
		"--gang --gang-timeout 1h --queue research --barrier --dns --succeed-at worker=3 --retries 3 --dry-run=server -o name -- python train.py")
	run("create two --role worker=0 --image train:1")
	run("create held --role worker=2")
	run("stop train --yes")
	s.until("train", "completed", completed)
	text = append(text, transcript(t, "create", "train", "--image", "train:1", "-n", "nowhere"), transcript(t, "create", "train", "--image", "train:1", "--barrier"))
	run("create meet --role worker=2 --image train:1 --barrier -o name -- python train.py")
	f = s.until("meet", "seen by the controller", func(f *v1.Framework) bool { return f.Status != nil })
	template, err := f.Spec.TaskRoles[0].Task.Pod.Decode()
	require.NoError(t, err)
	if template.Spec.ServiceAccountName != "frameworkbarrier" || len(template.Spec.InitContainers) != 1 {
		t.Errorf("%+v", template.Spec)
	}
	requireGolden(t, "create.txt", strings.Join(text, "\n"))
}
