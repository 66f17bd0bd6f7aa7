package specwarnings

import (
	"slices"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestCompletionFlaws(t *testing.T) {
	const restarts = "task.completionContainers has no effect because the Pod template lets containers restart; set its restartPolicy to Never"
	const unknown = "task.completionContainers has no effect: the Pod template has no container mian; correct the name"
	for _, test := range []struct {
		template string
		names    []string
		want     []string
	}{
		{`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}, {"name": "proxy"}]}}`, []string{"main"}, nil},
		{`{"spec": {"restartPolicy": "Never", "containers": [{"name": "main"}]}}`, []string{"main", "mian"}, []string{unknown}},
		{`{"spec": {"containers": [{"name": "main"}]}}`, []string{"main"}, []string{restarts}},
		{`{"spec": {"restartPolicy": "OnFailure", "containers": [{"name": "main"}]}}`, []string{"mian"}, []string{restarts, unknown}},
		{`{"spec": {"containers": [{"name": "main"}]}}`, nil, nil},
		{`{"spec": {"containers": "none"}}`, []string{"main"}, nil},
	} {
		role := &v1.TaskRoleSpec{Name: "w"}
		role.Task.CompletionContainers = test.names
		role.Task.Pod = v1.PodTemplate(test.template)
		if got := completionFlaws(role); !slices.Equal(got, test.want) {
			t.Errorf("%s, %v: got %q", test.template, test.names, got)
		}
	}
}
