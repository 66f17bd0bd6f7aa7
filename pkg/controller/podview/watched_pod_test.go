package podview

import (
	"bytes"
	"encoding/json"
	"math/rand"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// fullPods fills every field of Pods, each with its own values.
func fullPods() *randfill.Filler {
	return randfill.NewWithSeed(7).NilChance(0.1).NumElements(1, 3).Funcs(
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(t *metav1.MicroTime, c randfill.Continue) { t.Time = time.Unix(c.Int63n(1<<32), 0) },
		func(f *metav1.FieldsV1, _ randfill.Continue) { f.SetRawString(`{"f:spec":{}}`) },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = *resource.NewQuantity(c.Int63n(1000), resource.DecimalSI)
		},
		func(i *intstr.IntOrString, c randfill.Continue) { *i = intstr.FromInt32(c.Int31n(1000)) },
		func(p *corev1.RestartPolicy, c randfill.Continue) {
			*p = []corev1.RestartPolicy{corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever}[c.Intn(3)]
		},
		// Container names are the same in a spec, in a status, and in the annotation that lists some of them.
		func(cs *[]corev1.ContainerStatus, c randfill.Continue) {
			for _, name := range []string{"a", "b", "c"} {
				s := corev1.ContainerStatus{Name: name}
				if c.Fill(&s.State); s.State.Running != nil {
					s.State.Terminated, s.State.Waiting = nil, nil
				}
				*cs = append(*cs, s)
			}
		},
		func(cs *[]corev1.Container, c randfill.Continue) {
			for _, name := range []string{"b", "a", "c"} {
				s := corev1.Container{}
				c.Fill(&s)
				s.Name, s.RestartPolicy = name, nil
				*cs = append(*cs, s)
			}
		},
		func(m *metav1.ObjectMeta, c randfill.Continue) {
			c.FillNoCustom(m)
			m.Annotations = map[string]string{v1.KeyCompletionContainers: []string{"", "a", "a,b", "z"}[c.Intn(4)]}
		},
		func(p *corev1.PodPhase, c randfill.Continue) {
			phases := []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed}
			*p = phases[c.Intn(len(phases))]
		},
	)
}

// onWire returns a Pod as the API server stores it: without anything that protobuf cannot represent.
func onWire(t *testing.T, fill *randfill.Filler) (p *corev1.Pod, raw []byte) {
	t.Helper()
	filled := &corev1.Pod{}
	fill.Fill(filled)
	filled.TypeMeta = metav1.TypeMeta{}
	raw, err := filled.Marshal()
	require.NoError(t, err)
	p = &corev1.Pod{}
	require.NoError(t, p.Unmarshal(raw))
	return p, raw
}

// Fields that a watched Pod omits are never read, and the whole Pod has them.
func TestWatchedPod(t *testing.T) {
	fill := fullPods()
	for range 200 {
		p, raw := onWire(t, fill)
		text, err := json.Marshal(p)
		require.NoError(t, err)
		var fromProtobuf, fromJSON WatchedPod
		require.NoError(t, fromProtobuf.Unmarshal(raw))
		require.NoError(t, json.Unmarshal(text, &fromJSON))
		whole := p.DeepCopy()
		whole.ManagedFields = nil
		for format, read := range map[string]*WatchedPod{"protobuf": &fromProtobuf, "JSON": &fromJSON} {
			if got, want := trimPod(&read.Pod), trimPod(p); !equality.Semantic.DeepEqual(got, want) {
				t.Fatalf("from %s:\n%+v\nwant\n%+v", format, got, want)
			}
			if got := NewCachedPod(read, true).Unpack(); !equality.Semantic.DeepEqual(got, whole) {
				t.Fatalf("the whole of it, from %s:\n%+v\nwant\n%+v", format, got, whole)
			}
		}
	}
}

func TestWatchedPodList(t *testing.T) {
	list, fill := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: "7", Continue: "more"}}, fullPods()
	for range 5 {
		p, _ := onWire(t, fill)
		list.Items = append(list.Items, *p)
	}
	list.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "PodList"}
	for _, format := range []string{runtime.ContentTypeProtobuf, runtime.ContentTypeJSON} {
		written, _ := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), format)
		body, err := runtime.Encode(written.Serializer, list)
		require.NoError(t, err)
		read, _ := runtime.SerializerInfoForMediaType(Codecs().SupportedMediaTypes(), format)
		decoded, err := runtime.Decode(read.Serializer, body)
		if err != nil {
			t.Fatalf("%s: %v", format, err)
		}
		got := decoded.(*WatchedPodList)
		if !reflect.DeepEqual(got.ListMeta, list.ListMeta) || len(got.Items) != len(list.Items) {
			t.Fatalf("from %s: %+v with %d Pods", format, got.ListMeta, len(got.Items))
		}
		for i := range got.Items {
			if !equality.Semantic.DeepEqual(trimPod(&got.Items[i].Pod), trimPod(&list.Items[i])) {
				t.Errorf("from %s: Pod %d is %+v", format, i, got.Items[i])
			}
		}
		if !equality.Semantic.DeepEqual(got.DeepCopyObject(), runtime.Object(got)) {
			t.Errorf("from %s: a copy is different", format)
		}
	}
}

// Other bytes than a Pod do no harm, and a truncated Pod is an error.
func TestNoWatchedPod(t *testing.T) {
	_, raw := onWire(t, fullPods())
	if err := (&WatchedPod{}).Unmarshal(raw[:len(raw)-1]); err == nil {
		t.Error("a Pod without its last byte is read without an error")
	}
	random := rand.New(rand.NewSource(7))
	for range 2000 {
		broken := bytes.Clone(raw[:1+random.Intn(len(raw)-1)])
		for range 1 + random.Intn(4) {
			broken[random.Intn(len(broken))] = byte(random.Intn(256))
		}
		_ = (&WatchedPod{}).Unmarshal(broken)
	}
}
