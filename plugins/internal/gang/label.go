package gang

import (
	"fmt"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/util/validation"
)

// LabelValue names an attempt of something so that it fits into a label. A name that is too long is cut, and has a hash of
// what it was, so that it stays different from others.
func LabelValue(name string, attempt int32) string {
	end := fmt.Sprintf("-%d", attempt)
	if len(name)+len(end) <= validation.LabelValueMaxLength {
		return name + end
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // cannot fail
	end = fmt.Sprintf("-%016x%s", hash.Sum64(), end)
	return name[:validation.LabelValueMaxLength-len(end)] + end
}
