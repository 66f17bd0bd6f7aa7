package objects_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

func TestNamesOfPods(t *testing.T) {
	tests := map[string]struct {
		network             *v1.NetworkSpec
		template            string
		role                string
		hostname, subdomain string
	}{
		"no network":                   {nil, `{}`, "worker", "", ""},
		"only told how many there are": {&v1.NetworkSpec{}, `{}`, "worker", "", ""},
		"by the names of the Pods":     {&v1.NetworkSpec{DNS: true}, `{}`, "worker", "demo-worker-4", "demo"},
		"the template has others": {
			&v1.NetworkSpec{DNS: true}, `{"spec":{"hostname":"h-{{FC_TASK_INDEX}}","subdomain":"s"}}`, "worker", "h-4", "s",
		},
		"the template has one": {&v1.NetworkSpec{DNS: true}, `{"spec":{"hostname":null,"subdomain":"s"}}`, "worker", "demo-worker-4", "s"},
		"just short enough": {
			&v1.NetworkSpec{DNS: true}, `{}`, strings.Repeat("r", 56), "demo-" + strings.Repeat("r", 56) + "-4", "demo",
		},
		"too long for DNS":                {&v1.NetworkSpec{DNS: true}, `{}`, strings.Repeat("r", 57), "", "demo"},
		"a capital, from the time before": {&v1.NetworkSpec{DNS: true}, `{}`, "Worker", "", "demo"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			spec := &v1.FrameworkSpec{Network: test.network, TaskRoles: []v1.TaskRoleSpec{{Name: test.role, TaskNumber: 5}}}
			pod := built(t, spec, test.template, taskNumber(test.role, 4))
			if pod.Spec.Hostname != test.hostname || pod.Spec.Subdomain != test.subdomain {
				t.Errorf("got %q in %q, want %q in %q", pod.Spec.Hostname, pod.Spec.Subdomain, test.hostname, test.subdomain)
			}
		})
	}
}

// The variables about other Tasks come after a container's own and before the template's, which may refer to both.
func TestCounts(t *testing.T) {
	spec := &v1.FrameworkSpec{Network: &v1.NetworkSpec{}, TaskRoles: []v1.TaskRoleSpec{
		{Name: "ps", TaskNumber: 2}, {Name: "worker", TaskNumber: 7}, {Name: "none", TaskNumber: 0}, {Name: "ps", TaskNumber: 50},
	}}
	template := `{"spec":{"initContainers":[{}],"containers":[{"env":[{"name":"SIZE","value":"$(FC_TASK_COUNT)"}]}]}}`
	pod := built(t, spec, template, taskNumber("worker", 4))
	want := []corev1.EnvVar{
		{Name: "FC_TASK_COUNT", Value: "9"}, {Name: "FC_TASK_RANK", Value: "6"},
		{Name: "FC_TASK_COUNT_ps", Value: "2"}, {Name: "FC_TASK_COUNT_worker", Value: "7"}, {Name: "FC_TASK_COUNT_none", Value: "0"},
	}
	if got := pod.Spec.InitContainers[0].Env[15:]; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := pod.Spec.Containers[0].Env[15:]; !reflect.DeepEqual(got, append(want, corev1.EnvVar{Name: "SIZE", Value: "$(FC_TASK_COUNT)"})) {
		t.Errorf("got %v, want %v and the template's own", got, want)
	}
}

// Ranks of a Framework are the numbers from 0 on, each once.
func TestRanks(t *testing.T) {
	spec := &v1.FrameworkSpec{Network: &v1.NetworkSpec{}, TaskRoles: []v1.TaskRoleSpec{
		{Name: "a", TaskNumber: 3}, {Name: "b", TaskNumber: 0}, {Name: "c", TaskNumber: 2},
	}}
	var got []string
	for _, role := range spec.TaskRoles {
		for i := range role.TaskNumber {
			pod := built(t, spec, `{"spec":{"containers":[{}]}}`, taskNumber(role.Name, i))
			got = append(got, valueOf(pod.Spec.Containers[0].Env, v1.KeyTaskRank))
		}
	}
	if want := []string{"0", "1", "2", "3", "4"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// If variables in many containers make a Pod too large, the error names them.
func TestManyRolesAndContainers(t *testing.T) {
	spec := &v1.FrameworkSpec{Network: &v1.NetworkSpec{}}
	for i := range 200 {
		spec.TaskRoles = append(spec.TaskRoles, v1.TaskRoleSpec{Name: strings.Repeat("r", 10+i%50) + string(rune('a'+i%26)), TaskNumber: 1})
	}
	builder := objects.NewPodBuilderWith("worker", []byte(many("containers", "{}", 1000)), objects.Additions{Network: objects.NetworkOf(spec)})
	if _, err := builder.Build(taskNumber("worker", 0)); err == nil || !strings.Contains(err.Error(), "the variables of the Task in its 1000 containers") {
		t.Errorf("got %v", err)
	}
}

func TestService(t *testing.T) {
	s := objects.Service(demoTask.Framework, true)
	owner := s.OwnerReferences[0]
	if s.Name != "demo" || s.Spec.ClusterIP != "None" || !s.Spec.PublishNotReadyAddresses || s.Spec.Selector["FC_FRAMEWORK_NAME"] != "demo" {
		t.Errorf("got %+v", s)
	}
	if owner.Kind != "Framework" || owner.UID != demoTask.Framework.UID || !*owner.Controller {
		t.Errorf("it belongs to %+v", owner)
	}
}

func taskNumber(role string, index int32) objects.Task {
	task := demoTask
	task.RoleName, task.Index = role, index
	return task
}

// built is a Pod as a controller makes it.
func built(t *testing.T, spec *v1.FrameworkSpec, template string, task objects.Task) (pod corev1.Pod) {
	t.Helper()
	body, err := builderOf(task.RoleName, []byte(template), spec).Build(task)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(body, &pod))
	return pod
}

func valueOf(env []corev1.EnvVar, name string) string {
	for _, e := range env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}
