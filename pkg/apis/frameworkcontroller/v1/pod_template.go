package v1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// PodTemplate is a PodTemplateSpec as the user wrote it, in JSON. It is never decoded and encoded again on
// its way to the API server, so Pod fields that are newer than this program are kept (decisions, W2).
// Empty means an empty template.
type PodTemplate []byte

// Decode reads the template as a PodTemplateSpec. Fields that this program does not know are ignored, and so
// are those whose names differ in case, as the API server does.
// It is not for templates of people who are not trusted: to parse a quantity in it, such as 1e-2000000000, may take hours,
// and the result may be hundreds of times as large as the template.
// It fails when the JSON does not fit the type, such as a number where a name belongs.
func (t PodTemplate) Decode() (*corev1.PodTemplateSpec, error) {
	out := &corev1.PodTemplateSpec{}
	if len(t) == 0 {
		return out, nil
	}
	if err := json.Unmarshal(t, out); err != nil {
		return nil, fmt.Errorf("decoding pod template: %w", err)
	}
	return out, nil
}

// MarshalJSON returns the template unchanged; an empty one is {}.
func (t PodTemplate) MarshalJSON() ([]byte, error) {
	if len(t) == 0 {
		return []byte("{}"), nil
	}
	return t, nil
}

// UnmarshalJSON keeps a copy of the JSON; null is the empty template.
func (t *PodTemplate) UnmarshalJSON(data []byte) error {
	*t = nil
	if string(data) != "null" {
		*t = append(*t, data...)
	}
	return nil
}
