package controller

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
)

// labelled is an object that anybody may have created, of the maximum size, with the label of a Framework and a controller.
func labelled(name, framework string, controller metav1.OwnerReference) *unstructured.Unstructured {
	o := stranger(name)
	o.SetAPIVersion("v1")
	o.SetKind("Service")
	o.SetNamespace(apitest.Namespace)
	o.SetLabels(map[string]string{v1.KeyFrameworkName: framework, "other": "label"})
	o.SetAnnotations(map[string]string{"text": strings.Repeat("x", 256<<10)})
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "somebody"}})
	if controller.Kind != "" {
		yes := true
		controller.APIVersion, controller.Controller = "v1", &yes
		o.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: "n", UID: "n"}, controller})
	}
	var ports []any
	for i := range 1000 {
		ports = append(ports, map[string]any{"port": int64(i + 1)})
	}
	o.Object["spec"] = map[string]any{"ports": ports, "selector": map[string]any{v1.KeyFrameworkName: framework}, "publishNotReadyAddresses": true}
	return o
}

// The cache keeps a labelled Service with the fields that are read if a Framework controls it, and otherwise only its metadata.
func TestServicesOfOthersAreNotKept(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withDNS)
	w.remade(apitest.Services, "a", "")
	w.Create(apitest.Services, labelled("others", "nobody", metav1.OwnerReference{}))
	w.Create(apitest.Services, labelled("forged", "a", metav1.OwnerReference{Kind: v1.FrameworkKind, Name: "a", UID: w.uidOf(apitest.Frameworks, "a")}))
	shown := func(name string) *hintobjects.WatchedObject[selection] {
		seen, _ := w.c.watches.companions.Shown(services, apitest.Namespace, name)
		return seen
	}
	w.eventually("all are watched", func() bool { return shown("a") != nil && shown("others") != nil && shown("forged") != nil })
	if o := shown("others"); o.Content != nil || len(o.Annotations) > 0 || len(o.Labels) != 1 || o.ManagedFields != nil {
		t.Errorf("kept of a Service of others: %+v", o)
	}
	if o := shown("forged"); *o.Content != (selection{"a", true}) || len(o.OwnerReferences) != 1 || len(o.Annotations) > 0 {
		t.Errorf("kept of a Service that passes for a Framework's: %+v", o)
	}
	if o := shown("a"); o.Content == nil || *o.Content != (selection{"a", true}) {
		t.Errorf("kept of the Framework's own: %+v", o)
	}
}

// Foreign Pods may come and go under names of Tasks that do not exist: nothing is remembered about them.
func TestForeignPodsAreForgotten(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.tampered = true
	w.running("a", tasks(1))
	const many = 50
	podOf := func(i int) string { return fmt.Sprintf("a-w-%d", 1000+i) }
	for i := range many {
		o := foreign(apitest.Pods, podOf(i))
		o.SetLabels(map[string]string{v1.KeyFrameworkName: "a"})
		w.Create(apitest.Pods, o)
	}
	cached := func(i int) bool { return w.c.watches.pod(apitest.Namespace, podOf(i)) != nil }
	w.eventually("all are seen", func() bool { return cached(many - 1) })
	for i := range many {
		if i%2 == 0 {
			w.Delete(apitest.Pods, podOf(i))
		} else {
			w.Edit(apitest.Pods, podOf(i), func(o *unstructured.Unstructured) { o.SetLabels(nil) })
		}
	}
	w.eventually("none is seen", func() bool { return !cached(many-1) && !cached(many-2) })
	w.RunPod("a-w-0") // the round that sees it has seen all before
	w.taskReaches("a", "w", 0, v1.AttemptRunning)
	w.stop()
	r := w.c.queue.records.get(w.key("a"))
	if n := len(r.dependents.pods); n > 1 {
		t.Errorf("%d Pods are remembered", n)
	}
}

// A full round forgets names that no longer belong to a Task, unless an object of that name exists or may still be created.
func TestFactsOfTasksThatAreGone(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(1))
	w.stop()
	r := w.c.queue.records.get(w.key("a"))
	gone, there := lifecycle.TaskRef{Role: "old", Index: 0}, lifecycle.TaskRef{Role: "w", Index: 0}
	r.dependents.pod("a-old-0").deletedUID = "x"
	r.dependents.pod("a-old-1").inFlight = true
	r.dependents.pod("a-old-2").live = foreign(apitest.Pods, "a-old-2")
	r.dependents.pod("a-old-3").creation.pendingUntil = w.c.now()
	r.dependents.pod("a-w-0").deletedUID = types.UID("x")
	for _, ref := range []lifecycle.TaskRef{gone, there} {
		r.questions.verdicts[ref] = &lifecycle.Verdict{}
		r.questions.startVerdicts[ref] = &deadline.Verdict{}
		r.questions.finished[ref] = w.c.now()
	}
	r.schedule.lookAtAll()
	w.c.watches.dropOutdatedAnswers(r)
	for name, kept := range map[string]bool{"a-old-0": false, "a-old-1": true, "a-old-2": true, "a-old-3": true, "a-w-0": true} {
		if (r.dependents.pods[name] != nil) != kept {
			t.Errorf("%s is remembered: %v", name, !kept)
		}
	}
	if q := r.questions; len(q.verdicts) != 1 || len(q.startVerdicts) != 1 || len(q.finished) != 1 || q.verdicts[there] == nil {
		t.Errorf("answers are remembered: %v, %v, %v", q.verdicts, q.startVerdicts, q.finished)
	}
}

// Failed creations of a role's Pods are forgotten with the role: edits may name any number of roles.
func TestRolesThatAreGone(t *testing.T) {
	t.Parallel()
	b := newBlockers()
	b.failingRoles["w"], b.failingRoles["old"] = time.Now(), time.Now()
	b.forgetRoles(&v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{role("w", 1)}})
	require.Len(t, b.failingRoles, 1)
	require.Contains(t, b.failingRoles, "w")
}
