package v1

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/json"
)

// PodTemplate is a PodTemplateSpec in JSON, as the user wrote it. It is never decoded and re-encoded on its way to the
// API server, so Pod fields newer than this program are kept (decisions, W2). An empty value is an empty template.
type PodTemplate []byte

// Decode reads the template as a PodTemplateSpec. As in the API server, unknown fields are ignored, and so are fields
// whose names differ in case.
// Do not call it on templates of untrusted users: parsing a quantity such as 1e-2000000000 may take hours, and the
// result may be hundreds of times as large as the template.
// It fails if the JSON does not fit the type, for example if a number stands where a name belongs.
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
