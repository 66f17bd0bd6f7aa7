package checker

import (
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// pod is a Pod with its purpose.
type pod struct {
	*corev1.Pod
	made purpose
}

// purpose is the purpose that an object states in its metadata. The zero purpose belongs to somebody else's object.
type purpose struct {
	framework        string
	frameworkUID     types.UID
	frameworkAttempt string

	// Set for Pods only.
	configMapUID types.UID // of its controller
	place        place
	taskUID      string
	taskAttempt  string
}

func (p purpose) ours() bool { return p.framework != "" }

// taskAttempt identifies one attempt of one Task instance.
type taskAttempt struct{ uid, attempt string }

func (p purpose) attempt() taskAttempt { return taskAttempt{p.taskUID, p.taskAttempt} }

func attemptOf(t *v1.TaskStatus) taskAttempt {
	return taskAttempt{t.InstanceUID, strconv.Itoa(int(t.AttemptStatus.ID))}
}

func newPod(p *corev1.Pod) *pod { return &pod{p, podPurpose(p)} }

// held reports whether the Pod no longer runs anything, and exists only because of a finalizer.
func (p *pod) held() bool {
	phase := p.Status.Phase
	over := phase == corev1.PodSucceeded || phase == corev1.PodFailed || phase == corev1.PodPending && p.Spec.NodeName == ""
	return p.DeletionTimestamp != nil && len(p.Finalizers) > 0 && over
}

const configMapSuffix = "-attempt"

// podPurpose reads the purpose from the controller, which must be an attempt's ConfigMap, and from the annotations.
func podPurpose(p *corev1.Pod) purpose {
	owner := metav1.GetControllerOfNoCopy(p)
	if owner == nil || owner.Kind != "ConfigMap" || !strings.HasSuffix(owner.Name, configMapSuffix) {
		return purpose{}
	}
	says := p.Annotations
	index, err := strconv.ParseInt(says[v1.KeyTaskIndex], 10, 32)
	framework := strings.TrimSuffix(owner.Name, configMapSuffix)
	if err != nil || says[v1.KeyFrameworkName] != framework {
		return purpose{}
	}
	return purpose{
		framework:        framework,
		frameworkUID:     types.UID(says[v1.KeyFrameworkUID]),
		frameworkAttempt: says[v1.KeyFrameworkAttemptID],
		configMapUID:     owner.UID,
		place:            place{says[v1.KeyTaskRoleName], int32(index)},
		taskUID:          says[v1.KeyTaskUID],
		taskAttempt:      says[v1.KeyTaskAttemptID],
	}
}

// configMapPurpose reads the purpose from the controller, which must be a Framework of a matching name.
func configMapPurpose(c *corev1.ConfigMap) purpose {
	owner := metav1.GetControllerOfNoCopy(c)
	if owner == nil || owner.Kind != v1.FrameworkKind || c.Name != owner.Name+configMapSuffix {
		return purpose{}
	}
	return purpose{framework: owner.Name, frameworkUID: owner.UID, frameworkAttempt: c.Annotations[v1.KeyFrameworkAttemptID]}
}
