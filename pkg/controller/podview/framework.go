package podview

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// FrameworkOf returns the key of the Framework with which a dependent's name begins. Its label, which anybody may change, may
// differ.
func FrameworkOf(o metav1.Object) (key cache.ObjectName, ok bool) {
	name, _, ok := strings.Cut(o.GetName(), "-") // names of Frameworks have no "-"
	return cache.NewObjectName(o.GetNamespace(), name), ok
}
