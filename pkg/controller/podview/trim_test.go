package podview

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// sight is all that the controller sees of a Pod or ConfigMap in a cache.
func sight(o metav1.Object) string {
	framework, ours := FrameworkOf(o)
	seen := []any{o.GetNamespace(), o.GetName(), o.GetUID(), o.GetResourceVersion(), framework, ours, o.GetLabels()[v1.KeyFrameworkName] == ""}
	if pod, ok := o.(*corev1.Pod); ok {
		view := PodOf(pod, true)
		cause, disruption := view.StallCause, view.Outcome.Disruption
		view.StallCause, view.Outcome.Disruption = nil, nil // pointers, which are shown as such
		return fmt.Sprintf("%#v %#v %+v %+v %+v", append(seen, controllerOf(o)), view, cause, disruption, DisruptionOf(pod))
	}
	return fmt.Sprintf("%#v %#v", append(seen, controllerOf(o)), ConfigMapOf(o, true))
}

// controllerOf returns the reference that record.controls checks.
func controllerOf(o metav1.Object) string {
	if c := metav1.GetControllerOf(o); c != nil {
		return string(c.UID)
	}
	return ""
}

// fullPod has a value in every field that there is.
func fullPod(phase corev1.PodPhase) *corev1.Pod {
	p := &corev1.Pod{}
	fill(reflect.ValueOf(p).Elem(), "x", 0)
	p.ObjectMeta = fullMeta("a-w-0", metav1.OwnerReference{APIVersion: "v1", Kind: "ConfigMap", Name: "a-attempt", UID: "cm"})
	p.Annotations[v1.KeyConfigMapUID], p.Annotations[v1.KeyTaskUID], p.Annotations[v1.KeyTaskAttemptID] = "cm", "task", "3"
	p.Status.Phase = phase
	always := corev1.ContainerRestartPolicyAlways
	p.Spec.InitContainers[0].RestartPolicy = &always
	p.Spec.InitContainers[0].Name, p.Status.InitContainerStatuses[0].Name = "init", "init"
	for _, list := range [][]corev1.Container{p.Spec.InitContainers, p.Spec.Containers} {
		list[0].Resources.Limits[corev1.ResourceMemory] = resource.MustParse("5Gi")
		list[0].Resources.Requests[corev1.ResourceMemory] = resource.MustParse("3Gi")
	}
	p.Status.ContainerStatuses[0].Name = p.Spec.Containers[0].Name
	return p
}

// disrupted adds the condition of a Pod that others end.
func disrupted(p *corev1.Pod) *corev1.Pod {
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{
		Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting",
	})
	return p
}

func unschedulablePod() *corev1.Pod {
	return podWithoutNode(func(c *corev1.PodCondition) {
		c.Type, c.Status, c.Reason = corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonUnschedulable
	})
}

func podWithoutNode(change func(c *corev1.PodCondition)) *corev1.Pod {
	p := fullPod(corev1.PodPending)
	p.Spec.NodeName = ""
	change(&p.Status.Conditions[0])
	return p
}

// stalledPods do not get going, each for its reason.
func stalledPods() map[string]*corev1.Pod {
	with := func(change func(*corev1.PodStatus)) *corev1.Pod {
		p := fullPod(corev1.PodPending)
		p.DeletionTimestamp = nil
		p.Status.InitContainerStatuses = nil
		change(&p.Status)
		return p
	}
	container := func(s *corev1.PodStatus) *corev1.ContainerStatus { return &s.ContainerStatuses[0] }
	running := func(init corev1.ContainerStatus) corev1.ContainerStatus {
		init.RestartCount = 0
		init.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
		return init
	}
	started := metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	left := func(exit int32) *corev1.Pod {
		p := with(func(s *corev1.PodStatus) {
			app, ended := running(*container(s)), *container(s)
			ended.RestartCount, ended.Name = 0, "main"
			ended.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: exit, Reason: "Error", Message: "no\nluck", FinishedAt: started}}
			s.Phase, s.ContainerStatuses = corev1.PodRunning, []corev1.ContainerStatus{app, ended, app}
		})
		p.Spec.RestartPolicy, p.Spec.Containers = corev1.RestartPolicyNever, []corev1.Container{{Name: "main"}, {Name: "x"}}
		return p
	}
	return map[string]*corev1.Pod{
		"ContainersLeft":                  left(7),
		"ContainersLeft by the first one": left(0),
		"Unschedulable":                   unschedulablePod(),
		"SchedulerError": podWithoutNode(func(c *corev1.PodCondition) {
			c.Type, c.Status, c.Reason = corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulerError
		}),
		"SchedulingGated": podWithoutNode(func(c *corev1.PodCondition) {
			c.Type, c.Status, c.Reason = corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated
		}),
		"PodNotScheduled": podWithoutNode(func(*corev1.PodCondition) {}),
		"ImageNotPulled": with(func(s *corev1.PodStatus) {
			container(s).State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ErrImagePull", Message: "no such\nimage"}}
		}),
		"ContainerNotStarted": with(func(s *corev1.PodStatus) {
			init := *container(s)
			init.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError", Message: "no secret"}}
			s.InitContainerStatuses = []corev1.ContainerStatus{init}
		}),
		"ContainerCrashing": with(func(s *corev1.PodStatus) {
			s.Phase = corev1.PodRunning
			container(s).State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: started}}
		}),
		"PodNotStarted": with(func(s *corev1.PodStatus) {
			container(s).RestartCount = 0
			container(s).State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
		}),
		"an init container that runs": with(func(s *corev1.PodStatus) {
			s.InitContainerStatuses = []corev1.ContainerStatus{running(*container(s))}
		}),
		"a container that runs, and another that does not": with(func(s *corev1.PodStatus) {
			s.ContainerStatuses = append(s.ContainerStatuses, running(*container(s)))
			container(s).RestartCount = 0
			container(s).State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ContainerCreating"}}
		}),
	}
}

func fullConfigMap() *corev1.ConfigMap {
	cm := &corev1.ConfigMap{}
	fill(reflect.ValueOf(cm).Elem(), "x", 0)
	cm.ObjectMeta = fullMeta("a-attempt", metav1.OwnerReference{APIVersion: "x/v1", Kind: v1.FrameworkKind, Name: "a", UID: "f"})
	return cm
}

func fullMeta(name string, owner metav1.OwnerReference) metav1.ObjectMeta {
	m := metav1.ObjectMeta{}
	fill(reflect.ValueOf(&m).Elem(), "x", 0)
	yes := true
	owner.Controller = &yes
	m.Name, m.OwnerReferences = name, []metav1.OwnerReference{owner}
	m.Labels[v1.KeyFrameworkName] = "a"
	m.Annotations[v1.KeyFrameworkUID], m.Annotations[v1.KeyFrameworkAttemptID] = "f", "2"
	return m
}

// fill sets every field to something that is not its zero value.
func fill(v reflect.Value, text string, depth int) {
	if depth > 12 || !v.CanSet() {
		return
	}
	if _, isTime := v.Interface().(metav1.Time); isTime {
		v.Set(reflect.ValueOf(metav1.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), text, depth+1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), text, depth+1)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, text, depth+1)
		v.SetMapIndex(reflect.ValueOf(text).Convert(v.Type().Key()), value)
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), v.Type().Field(i).Name, depth+1)
		}
	}
}

// Trimming keeps all fields that are read.
func TestTrimKeepsWhatIsSeen(t *testing.T) {
	objects := map[string]metav1.Object{"ConfigMap": fullConfigMap()}
	for _, phase := range []corev1.PodPhase{corev1.PodPending, corev1.PodRunning, corev1.PodSucceeded, corev1.PodFailed} {
		objects["Pod "+string(phase)] = fullPod(phase)
	}
	for reason, pod := range stalledPods() {
		objects["Pod with "+reason] = pod
	}
	objects["evicted Pod"] = disrupted(fullPod(corev1.PodRunning))
	for name, o := range objects {
		t.Run(name, func(t *testing.T) {
			want := sight(o)
			if got := sight(trimOf(t, o)); got != want {
				t.Errorf("trimmed it is seen as\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// keptUnseen lists fields that are kept along with others, or that only one of the two kinds needs.
var keptUnseen = []string{
	".OwnerReferences.APIVersion", ".OwnerReferences.BlockOwnerDeletion",
	".Terminated.StartedAt", ".Terminated.ContainerID",
	".DeletionGracePeriodSeconds",                    // on ConfigMaps
	".Conditions.Reason",                             // on Pods that fit no node, which a missing reason means too
	".Annotations[" + v1.KeyFrameworkAttemptID + "]", // on Pods
}

// Trimming keeps only fields that are read: any cleared field of a trimmed object is missed.
func TestTrimKeepsNothingElse(t *testing.T) {
	objects := map[string]func() metav1.Object{
		"ConfigMap":                  func() metav1.Object { return trimOf(t, fullConfigMap()) },
		"running Pod":                func() metav1.Object { return trimOf(t, fullPod(corev1.PodRunning)) },
		"failed Pod":                 func() metav1.Object { return trimOf(t, fullPod(corev1.PodFailed)) },
		"evicted Pod":                func() metav1.Object { return trimOf(t, disrupted(fullPod(corev1.PodFailed))) },
		"evicted Pod without a node": func() metav1.Object { return trimOf(t, disrupted(unschedulablePod())) },
	}
	for reason := range stalledPods() {
		objects["Pod with "+reason] = func() metav1.Object { return trimOf(t, stalledPods()[reason]) }
	}
	for name, object := range objects {
		t.Run(name, func(t *testing.T) {
			want := sight(object())
			for n := 0; ; n++ {
				o := object()
				skip := n
				path, ok := clearLeaf(reflect.ValueOf(o).Elem(), "", &skip)
				if !ok {
					return
				}
				expected := slices.ContainsFunc(keptUnseen, func(end string) bool { return strings.HasSuffix(path, end) })
				if sight(o) == want && !expected {
					t.Errorf("%s is kept, and nobody looks at it", path)
				}
			}
		})
	}
}

func trimOf(t *testing.T, o any) metav1.Object {
	t.Helper()
	out, err := Trim(o)
	require.NoError(t, err)
	return out.(metav1.Object)
}

// clearLeaf clears the set field that follows after skip others, and returns its path.
func clearLeaf(v reflect.Value, path string, skip *int) (cleared string, ok bool) {
	for _, part := range parts(v, path) {
		if cleared, ok = clearLeaf(part.value, part.path, skip); ok {
			return cleared, true
		}
	}
	switch {
	case v.IsZero() || len(parts(v, path)) > 0:
		return "", false
	case v.Kind() == reflect.Map:
		return clearEntry(v, path, skip)
	}
	if *skip--; *skip >= 0 {
		return "", false
	}
	v.SetZero()
	return path, true
}

type part struct {
	path  string
	value reflect.Value
}

// parts returns the components of a value; nothing if it has none.
func parts(v reflect.Value, path string) []part {
	if v.IsZero() {
		return nil
	}
	var out []part
	_, isTime := reflect.Indirect(v).Interface().(metav1.Time)
	switch {
	case isTime:
	case v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct:
		out = append(out, part{path, v.Elem()})
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			out = append(out, part{path + "." + v.Type().Field(i).Name, v.Field(i)})
		}
	case v.Kind() == reflect.Slice:
		for i := range v.Len() {
			out = append(out, part{path, v.Index(i)})
		}
	}
	return out
}

func clearEntry(m reflect.Value, path string, skip *int) (cleared string, ok bool) {
	keys := m.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		if *skip--; *skip < 0 {
			m.SetMapIndex(key, reflect.Value{})
			return path + "[" + key.String() + "]", true
		}
	}
	return "", false
}

// However large the metadata of an object are, little is kept of them, and it means the same.
func TestTrimMetaIsBounded(t *testing.T) {
	yes, long := true, strings.Repeat("9", 1<<20)
	o := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name:        "a-attempt",
		Labels:      map[string]string{v1.KeyFrameworkName: "a", "other": long},
		Annotations: map[string]string{v1.KeyFrameworkAttemptID: long, v1.KeyTaskUID: long, "other": long},
		Finalizers:  slices.Repeat([]string{"example.com/" + long}, 10),
	}}
	for range 1000 {
		o.OwnerReferences = append(o.OwnerReferences, metav1.OwnerReference{APIVersion: "v1", Kind: "Pod", Name: long, UID: "x"})
	}
	o.OwnerReferences = append(o.OwnerReferences, metav1.OwnerReference{APIVersion: "x/v1", Kind: v1.FrameworkKind, Name: "a", UID: "f", Controller: &yes})
	trimmed := trimOf(t, o).(*corev1.ConfigMap)
	if size := trimmed.Size(); size > 4<<10 {
		t.Errorf("%d bytes are kept", size)
	}
	require.Equal(t, ConfigMapOf(o, true), ConfigMapOf(trimmed, true))
	require.Equal(t, controllerOf(o), controllerOf(trimmed))

	o.OwnerReferences[len(o.OwnerReferences)-1].Name = long
	if size := trimOf(t, o).(*corev1.ConfigMap).Size(); size > 4<<10 {
		t.Errorf("%d bytes are kept of an object with a long reference to its controller", size)
	}

	f := &metav1.PartialObjectMetadata{ObjectMeta: o.ObjectMeta}
	f.Finalizers = slices.Repeat([]string{"example.com/x"}, 10_000)
	if size := trimOf(t, f).(*metav1.PartialObjectMetadata).Size(); size > 4<<10 {
		t.Errorf("%d bytes are kept of a Framework", size)
	}
}
