package podview

import (
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
)

// FrameworkOf returns the key of the Framework that a dependent's name begins with. Its label, which anybody may
// change, need not name it.
func FrameworkOf(o metav1.Object) (key cache.ObjectName, ok bool) {
	name, _, ok := strings.Cut(o.GetName(), "-") // which names of Frameworks do not have
	return cache.NewObjectName(o.GetNamespace(), name), ok
}
