package objects

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Kinds of the controllers in the two owner references of contract 1.4.
const (
	// KindFramework controls the attempt ConfigMap.
	KindFramework = v1.FrameworkKind
	// KindConfigMap, the attempt ConfigMap, controls the Pods.
	KindConfigMap = "ConfigMap"
)

// Owner is the Framework for which objects are built. All its objects are in its namespace.
type Owner struct {
	Namespace, Name string
	UID             types.UID
}

func (f Owner) reference() metav1.OwnerReference {
	yes := true
	return metav1.OwnerReference{
		APIVersion:         v1.SchemeGroupVersion.String(),
		Kind:               KindFramework,
		Name:               f.Name,
		UID:                f.UID,
		Controller:         &yes,
		BlockOwnerDeletion: &yes,
	}
}
