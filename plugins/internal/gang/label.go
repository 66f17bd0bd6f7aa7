package gang

import (
	"fmt"
	"hash/fnv"

	"k8s.io/apimachinery/pkg/util/validation"
)

// LabelValue returns a name as it fits into a label. One that is too long is cut, and ends in a hash of what it was, so that
// it stays different from others.
func LabelValue(name string) string {
	if len(name) <= validation.LabelValueMaxLength {
		return name
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(name)) // cannot fail
	return fmt.Sprintf("%s-%016x", name[:validation.LabelValueMaxLength-17], hash.Sum64())
}
