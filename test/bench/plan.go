package main

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// work is one measurement: a number of Frameworks, and the number of Tasks of each.
type work struct {
	frameworks, tasks int
	rounds            int
	plugins           bool // measure it once more with the default plugins
	history           bool // measure it once more with a history in SQLite
	besideJobs        bool // measure Kubernetes' own Job controller too
}

const largeTasks = 10_000

func (o options) plan() ([]work, error) {
	var plan []work
	for text := range strings.FieldsFuncSeq(o.works, func(r rune) bool { return r == ',' }) {
		w := work{rounds: o.rounds}
		if _, err := fmt.Sscanf(text, "%dx%d", &w.frameworks, &w.tasks); err != nil || w.pods() < 1 {
			return nil, fmt.Errorf("-works: %q is not of the form 100x10", text)
		}
		w.plugins = w.frameworks == 1 && !o.quick
		w.history = o.history
		w.besideJobs = true
		plan = append(plan, w)
	}
	if o.large {
		plan = append(plan, work{frameworks: 1, tasks: largeTasks, rounds: 1})
	}
	return plan, nil
}

func (w work) String() string { return fmt.Sprintf("%d x %d", w.frameworks, w.tasks) }
func (w work) pods() int      { return w.frameworks * w.tasks }

// many reports whether there are Frameworks enough for the requests about them to matter.
func (w work) many() bool { return w.frameworks > 1 }

const (
	namespace = "default"
	role      = "worker"
	template  = `{"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "busybox", "command": ["sh", "-c", "train"]}]}}`
)

func (w work) specs() []*v1.Framework {
	out := make([]*v1.Framework, w.frameworks)
	for i := range out {
		out[i] = framework(fmt.Sprintf("bench%d", i), w.tasks)
	}
	return out
}

// framework returns a Framework that succeeds when all its Tasks have.
func framework(name string, tasks int) *v1.Framework {
	return &v1.Framework{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: v1.FrameworkKind},
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: v1.FrameworkSpec{
			ExecutionType: v1.ExecutionStart,
			TaskRoles: []v1.TaskRoleSpec{{
				Name:                             role,
				TaskNumber:                       int32(tasks),
				FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1},
				Task:                             v1.TaskSpec{Pod: []byte(template)},
			}},
		},
	}
}

// barePods are the Pods that the controller would create, but without an owner, which the garbage collector
// would miss.
func (w work) barePods() ([]*corev1.Pod, error) {
	builder := objects.NewPodBuilder(role, []byte(template))
	var out []*corev1.Pod
	for i := range w.frameworks {
		for k := range w.tasks {
			body, err := builder.Build(objects.Task{
				Framework:    objects.Owner{Namespace: namespace, Name: fmt.Sprintf("floor%d", i), UID: fakeUID},
				ConfigMapUID: fakeUID,
				RoleName:     role,
				RoleUID:      fakeUID,
				Index:        int32(k),
				UID:          fakeUID,
			})
			if err != nil {
				return nil, err
			}
			pod := &corev1.Pod{}
			if err := json.Unmarshal(body, pod); err != nil {
				return nil, err
			}
			pod.OwnerReferences = nil
			out = append(out, pod)
		}
	}
	return out, nil
}

const fakeUID = "7f3b5f0e-6a55-4c2e-9a0c-0d5d3c1f2b11"
