package controller

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// watchedPod is a Pod as the watch reads it: what trimPod looks at, and the whole of it as it came. Most of a Pod is
// never looked at, and there are several events about each.
type watchedPod struct {
	corev1.Pod
	whole []byte // in protobuf, without the record of who has set which field, which may be as large as the rest
}

// Numbers of fields in k8s.io/api/core/v1/generated.proto, and of an object's metadata.
const (
	fieldMetadata      protowire.Number = 1
	fieldSpec          protowire.Number = 2
	fieldStatus        protowire.Number = 3
	fieldManagedFields protowire.Number = 17
)

// isReadOfSpec reports whether trimPod looks at a field of the spec.
func isReadOfSpec(n protowire.Number) bool {
	const nodeName, schedulerName, initContainers, schedulingGates = 10, 19, 20, 38
	return n == nodeName || n == schedulerName || n == initContainers || n == schedulingGates
}

// Unmarshal reads a Pod in protobuf, into a watchedPod that is new or Reset.
func (p *watchedPod) Unmarshal(raw []byte) error {
	p.whole = make([]byte, 0, len(raw))
	return eachField(raw, func(f field) error {
		switch f.number {
		case fieldMetadata:
			metadata, err := filter(f.value, func(n protowire.Number) bool { return n != fieldManagedFields })
			if err != nil {
				return err
			}
			p.whole = protowire.AppendBytes(protowire.AppendTag(p.whole, f.number, protowire.BytesType), metadata)
			return p.ObjectMeta.Unmarshal(metadata)
		case fieldSpec:
			spec, err := filter(f.value, isReadOfSpec)
			if err != nil {
				return err
			}
			p.whole = append(p.whole, f.whole...)
			return p.Spec.Unmarshal(spec)
		case fieldStatus:
			p.whole = append(p.whole, f.whole...)
			return p.Status.Unmarshal(f.value)
		}
		p.whole = append(p.whole, f.whole...)
		return nil
	})
}

// UnmarshalJSON reads a Pod from an API server that has no protobuf for us.
func (p *watchedPod) UnmarshalJSON(text []byte) error {
	pod := &corev1.Pod{}
	if err := json.Unmarshal(text, pod); err != nil {
		return err
	}
	raw, err := pod.Marshal()
	if err != nil {
		return err
	}
	return p.Unmarshal(raw)
}

func (p *watchedPod) Reset() { *p = watchedPod{} }

// DeepCopyObject makes it a runtime.Object.
func (p *watchedPod) DeepCopyObject() runtime.Object {
	return &watchedPod{*p.Pod.DeepCopy(), p.whole}
}

// watchedPodList is what the API server answers if it does not send the first Pods as events.
type watchedPodList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []watchedPod `json:"items"`
}

// Unmarshal reads a PodList in protobuf, into a list that is new or Reset.
func (l *watchedPodList) Unmarshal(raw []byte) error {
	const items = 2
	return eachField(raw, func(f field) error {
		switch f.number {
		case fieldMetadata:
			return l.ListMeta.Unmarshal(f.value)
		case items:
			l.Items = append(l.Items, watchedPod{})
			return l.Items[len(l.Items)-1].Unmarshal(f.value)
		}
		return nil
	})
}

func (l *watchedPodList) Reset() { *l = watchedPodList{} }

// DeepCopyObject makes it a runtime.Object.
func (l *watchedPodList) DeepCopyObject() runtime.Object {
	out := &watchedPodList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*watchedPod))
	}
	return out
}

// field is one of a message in protobuf.
type field struct {
	number protowire.Number
	whole  []byte // as it is in the message
	value  []byte // if it is a message, a text or bytes; nil otherwise
}

// eachField goes through the fields of a message in protobuf, up to the first error.
func eachField(message []byte, do func(field) error) error {
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		if head < 0 {
			return fmt.Errorf("reading protobuf: %w", protowire.ParseError(head))
		}
		size := protowire.ConsumeFieldValue(number, kind, message[head:])
		if size < 0 {
			return fmt.Errorf("reading field %d of protobuf: %w", number, protowire.ParseError(size))
		}
		f := field{number: number, whole: message[:head+size]}
		if kind == protowire.BytesType {
			f.value, _ = protowire.ConsumeBytes(message[head:])
		}
		if err := do(f); err != nil {
			return err
		}
		message = message[head+size:]
	}
	return nil
}

// filter copies those fields of a message in protobuf that keep selects.
func filter(message []byte, keep func(protowire.Number) bool) ([]byte, error) {
	var out []byte
	err := eachField(message, func(f field) error {
		if keep(f.number) {
			out = append(out, f.whole...)
		}
		return nil
	})
	return out, err
}

// NewClients connects to the API server, see apiserver.NewClients.
func NewClients(base *rest.Config) (*apiserver.Clients, error) {
	return apiserver.NewClients(base, watchedPodCodecs())
}

func watchedPodCodecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("Pod"), &watchedPod{})
	scheme.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("PodList"), &watchedPodList{})
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	return serializer.NewCodecFactory(scheme)
}
