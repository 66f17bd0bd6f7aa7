package metrics

import (
	"slices"
	"strconv"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// otherCode replaces codes that are not in Options.Codes.
const otherCode = "other"

// codeLabels are the codes with a label of their own.
type codeLabels map[int32]string

func newCodeLabels(configured []int32) codeLabels {
	labels := codeLabels{}
	for _, e := range completion.Table() {
		labels[e.Code] = strconv.Itoa(int(e.Code))
	}
	for _, code := range configured {
		labels[code] = strconv.Itoa(int(code))
	}
	return labels
}

func (l codeLabels) of(code int32) string {
	if label, known := l[code]; known {
		return label
	}
	return otherCode
}

// typeLabel returns the type of a completion in one word: its name and its attributes, in a fixed order.
func typeLabel(t v1.CompletionType) string {
	if t.Name == v1.CompletionSucceeded {
		return "Succeeded"
	}
	transient := slices.Contains(t.Attributes, v1.AttributeTransient)
	conflict := slices.Contains(t.Attributes, v1.AttributeConflict)
	switch {
	case transient && conflict:
		return "FailedTransientConflict"
	case transient:
		return "FailedTransient"
	case slices.Contains(t.Attributes, v1.AttributePermanent):
		return "FailedPermanent"
	}
	return "Failed"
}
