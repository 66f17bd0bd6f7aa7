package objects

import (
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// unknownAttempt replaces a missing attempt id. It equals no real one.
const unknownAttempt = -1

// Identity is the purpose for which an existing ConfigMap or Pod was created.
//
// Names and ControllerUID come from the object's own name and its controller reference, by which contract 2.10 finds
// the Framework of an event. The rest comes from annotations, which anybody may edit or remove. Earlier releases
// of the original did not write all of them. Missing UIDs are empty, and attempt ids that are missing or malformed
// are -1. Do not treat two empty UIDs as equal.
type Identity struct {
	// KindFramework for an attempt ConfigMap, KindConfigMap for a Pod.
	ControllerKind string
	// UID of the Framework or ConfigMap that controls the object; never empty.
	ControllerUID types.UID

	FrameworkName      string
	FrameworkUID       types.UID
	FrameworkAttemptID int32

	// The fields below are for Pods only, and zero for a ConfigMap.
	TaskRole      string
	TaskIndex     int32
	ConfigMapUID  types.UID
	TaskUID       string
	TaskAttemptID int32
}

// Identify reads the identity of an object. It is not ok for an object that cannot belong to a Framework: its
// controller is of another kind, or its name does not belong to that controller's name. An object that is ok may still be
// somebody else's or an old one: compare its UIDs.
func Identify(o metav1.Object) (id Identity, ok bool) {
	controller := metav1.GetControllerOfNoCopy(o)
	if controller == nil || controller.UID == "" {
		return Identity{}, false
	}
	switch controller.Kind {
	case KindFramework:
		ok = id.readConfigMap(o, controller.Name)
	case KindConfigMap:
		ok = id.readPod(o, controller.Name)
	}
	if !ok {
		return Identity{}, false
	}
	id.ControllerKind, id.ControllerUID = controller.Kind, controller.UID
	return id, true
}

func (id *Identity) readConfigMap(o metav1.Object, framework string) (ok bool) {
	id.readFramework(o, framework)
	return o.GetName() == v1.ConfigMapName(framework)
}

func (id *Identity) readPod(o metav1.Object, configMap string) (ok bool) {
	framework, ok := strings.CutSuffix(configMap, v1.ConfigMapName(""))
	if !ok {
		return false
	}
	id.readFramework(o, framework)
	annotations := o.GetAnnotations()
	id.ConfigMapUID = types.UID(annotations[v1.KeyConfigMapUID])
	id.TaskUID = annotations[v1.KeyTaskUID]
	id.TaskAttemptID = parseAttempt(annotations[v1.KeyTaskAttemptID])
	id.TaskRole, id.TaskIndex, ok = v1.ParsePodName(framework, o.GetName())
	return ok
}

func (id *Identity) readFramework(o metav1.Object, name string) {
	annotations := o.GetAnnotations()
	id.FrameworkName = name
	id.FrameworkUID = types.UID(annotations[v1.KeyFrameworkUID])
	id.FrameworkAttemptID = parseAttempt(annotations[v1.KeyFrameworkAttemptID])
}

// parseAttempt reads an attempt id in the one form that is written.
func parseAttempt(text string) int32 {
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return unknownAttempt
	}
	return int32(n)
}
