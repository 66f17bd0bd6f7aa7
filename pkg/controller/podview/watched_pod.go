package podview

import (
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

// WatchedPod is a Pod as read by the watch: the fields that TrimPod reads, and the encoded Pod as a whole. Most of a Pod is
// never read, and there are several events about each.
type WatchedPod struct {
	corev1.Pod
	whole []byte // in protobuf, without managedFields, which may be as large as the rest
}

// Numbers of fields in k8s.io/api/core/v1/generated.proto, and of an object's metadata.
const (
	fieldMetadata      protowire.Number = 1
	fieldSpec          protowire.Number = 2
	fieldStatus        protowire.Number = 3
	fieldManagedFields protowire.Number = 17
)

// isReadOfSpec reports whether TrimPod reads a field of the spec.
func isReadOfSpec(n protowire.Number) bool {
	const restartPolicy, nodeName, schedulerName, initContainers, schedulingGates, schedulingGroup = 3, 10, 19, 20, 38, 43
	return n == restartPolicy || n == nodeName || n == schedulerName || n == initContainers || n == schedulingGates || n == schedulingGroup
}

// containers make up most of a Pod, and few of their fields are read.
const containers protowire.Number = 2

// isReadOfContainer reports whether TrimPod reads a field of a container that is not an init container.
func isReadOfContainer(n protowire.Number) bool {
	const name, restartPolicy = 1, 24
	return n == name || n == restartPolicy
}

// isReadOfFailedContainer is the same for a container of a Pod that has failed.
func isReadOfFailedContainer(n protowire.Number) bool {
	const resources = 8
	return n == resources || isReadOfContainer(n)
}

// readOfSpec copies the fields of a spec, and of its containers, that TrimPod reads.
func readOfSpec(spec []byte, isReadOfContainer func(protowire.Number) bool) (out []byte, err error) {
	err = eachField(spec, func(f field) error {
		switch {
		case f.number == containers:
			c, err := filter(f.value, isReadOfContainer)
			if err != nil {
				return err
			}
			out = protowire.AppendBytes(protowire.AppendTag(out, f.number, protowire.BytesType), c)
		case isReadOfSpec(f.number):
			out = append(out, f.whole...)
		}
		return nil
	})
	return out, err
}

// Unmarshal decodes a Pod from protobuf, into a WatchedPod that is new or Reset.
func (p *WatchedPod) Unmarshal(raw []byte) error {
	p.whole = make([]byte, 0, len(raw))
	var spec []byte
	err := eachField(raw, func(f field) error {
		switch f.number {
		case fieldMetadata:
			metadata, err := filter(f.value, func(n protowire.Number) bool { return n != fieldManagedFields })
			if err != nil {
				return err
			}
			p.whole = protowire.AppendBytes(protowire.AppendTag(p.whole, f.number, protowire.BytesType), metadata)
			return p.ObjectMeta.Unmarshal(metadata)
		case fieldSpec:
			spec = f.value
			p.whole = append(p.whole, f.whole...)
			return p.unmarshalSpec(spec, isReadOfContainer)
		case fieldStatus:
			p.whole = append(p.whole, f.whole...)
			return p.Status.Unmarshal(f.value)
		}
		p.whole = append(p.whole, f.whole...)
		return nil
	})
	if err == nil && Failed(&p.Pod) { // few Pods do, and quantities cost the most of all fields
		err = p.unmarshalSpec(spec, isReadOfFailedContainer)
	}
	return err
}

func (p *WatchedPod) unmarshalSpec(spec []byte, isReadOfContainer func(protowire.Number) bool) error {
	read, err := readOfSpec(spec, isReadOfContainer)
	if err != nil {
		return err
	}
	p.Spec = corev1.PodSpec{}
	return p.Spec.Unmarshal(read)
}

// UnmarshalJSON decodes a Pod from an API server that does not send protobuf.
func (p *WatchedPod) UnmarshalJSON(text []byte) error {
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

func (p *WatchedPod) Reset() { *p = WatchedPod{} }

// DeepCopyObject implements runtime.Object.
func (p *WatchedPod) DeepCopyObject() runtime.Object {
	return &WatchedPod{*p.Pod.DeepCopy(), p.whole}
}

// WatchedPodList is the API server's answer if it does not send the first Pods as events.
type WatchedPodList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []WatchedPod `json:"items"`
}

// Unmarshal decodes a PodList from protobuf, into a list that is new or Reset.
func (l *WatchedPodList) Unmarshal(raw []byte) error {
	const items = 2
	return eachField(raw, func(f field) error {
		switch f.number {
		case fieldMetadata:
			return l.ListMeta.Unmarshal(f.value)
		case items:
			l.Items = append(l.Items, WatchedPod{})
			return l.Items[len(l.Items)-1].Unmarshal(f.value)
		}
		return nil
	})
}

func (l *WatchedPodList) Reset() { *l = WatchedPodList{} }

// DeepCopyObject implements runtime.Object.
func (l *WatchedPodList) DeepCopyObject() runtime.Object {
	out := &WatchedPodList{TypeMeta: l.TypeMeta, ListMeta: *l.ListMeta.DeepCopy()}
	for i := range l.Items {
		out.Items = append(out.Items, *l.Items[i].DeepCopyObject().(*WatchedPod))
	}
	return out
}

// field is a field of a protobuf message.
type field struct {
	number protowire.Number
	whole  []byte // encoded, as in the message
	value  []byte // if it is a message, a string or bytes; nil otherwise
}

// eachField visits the fields of a protobuf message, up to the first error.
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

// filter copies the fields of a protobuf message that keep selects.
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

// Codecs decode Pods and lists of them as WatchedPods.
func Codecs() serializer.CodecFactory {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("Pod"), &WatchedPod{})
	scheme.AddKnownTypeWithName(corev1.SchemeGroupVersion.WithKind("PodList"), &WatchedPodList{})
	metav1.AddToGroupVersion(scheme, corev1.SchemeGroupVersion)
	return serializer.NewCodecFactory(scheme)
}
