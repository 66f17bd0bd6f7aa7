package gang

import (
	"fmt"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/util/validation"
)

// LabelValue returns a label value for an attempt. A long name is cut, and gets a hash of the full name, so that it stays unique.
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
