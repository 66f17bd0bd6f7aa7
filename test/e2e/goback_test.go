package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// goingBack has a Framework for each state in which one may be when its users go back to the original. Each has fields that the original
// does not know.
var goingBack = map[string]struct {
	spec     string
	state    v1.State
	recorded string // the status that the original has stored in that state
}{
	"running": {`{ttlSecondsAfterFinished: 86400, scheduling: {queue: research}, taskRoles: [
		{name: a, taskNumber: 2, task: {retryPolicy: {maxRetryCount: 1, backoff: {initialDelaySec: 1}}, pod: ` + pod() + `}}]}`,
		v1.AttemptRunning, "framework-running"},
	"waiting": {`{retryPolicy: {maxRetryCount: 3, backoff: {initialDelaySec: 3600, maxDelaySec: 3600}}, taskRoles: [
		{name: a, task: {pod: ` + pod("run-for", "0s", "exit-code", "1", "message", "no data") + `}}]}`,
		v1.AttemptCompleted, "framework-waiting-to-retry"},
	"done": {`{ttlSecondsAfterFinished: 86400, taskRoles: [{name: a, task: {pod: ` + pod("run-for", "0s", "exit-code", "1", "message", "no data") + `}}]}`,
		v1.Completed, "framework-completed-failed"},
	"added": {withAdditions, v1.AttemptRunning, "framework-running"},
}

// Going back to the original, and forward again: under its CRD, Frameworks are unchanged, but for the fields that it does not know; their
// statuses have all fields that it writes, of the types that it reads. Its writes then drop our additions, and our controller continues
// from there. The original itself is not run. Not parallel, because the CRD is replaced for all.
func TestGoingBackToTheOriginal(t *testing.T) {
	s := newStory(t)
	s.uncheck() // the controller has not stored the original's writes
	for name, g := range goingBack {
		s.create(name, g.spec)
	}
	for name, g := range goingBack {
		s.await(name, string(g.state), func(f *v1.FrameworkStatus) bool { return f.State == g.state })
	}
	s.awaitAllRunning("running", 2)
	pods := []any{s.uidOf("running-a-0"), s.uidOf("running-a-1")}
	added := s.useAdditions("added")
	added.requireUsed(t)
	before := map[string]*unstructured.Unstructured{}
	controller.down(t, func() {
		for name := range goingBack {
			before[name] = s.asStored(name)
		}
		installOriginalCRD(t)
		watchAnew(t) // a watch of Frameworks does not survive another CRD
		for name, g := range goingBack {
			s.requireIntact(name, before[name])
			requireReadableByTheOriginal(t, name, before[name], g.recorded)
		}
		s.writeAsTheOriginal("running", "framework-running")
	})
	awaitOurCRD(t)
	watchAnew(t)

	s.requireBackAgain("waiting", before["waiting"])
	s.requireBackAgain("done", before["done"])
	s.requireBackAgain("added", before["added"])
	s.requireAdditions("added", added)
	if now := s.asStored("running"); fieldsOf(now.Object).at("spec").number("ttlSecondsAfterFinished") != 0 {
		t.Error("the test does not write as the original, which drops what it does not know")
	}
	if now := []any{s.uidOf("running-a-0"), s.uidOf("running-a-1")}; !reflect.DeepEqual(now, pods) {
		t.Errorf("Pods are others than before: %v, were %v", now, pods)
	}
	s.endPod("running-a-0", 0)
	s.endPod("running-a-1", 0)
	s.requireEnds("running", `
Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-\d
a-0 Completed retried=0/0 code=0 Succeeded
a-1 Completed retried=0/0 code=0 Succeeded`)
	s.patch("waiting", "spec: {executionType: Stop}")
	s.await("waiting", "stopped", func(f *v1.FrameworkStatus) bool { return f.State == v1.Completed })
}

// asStored returns the current version of a Framework from the API server.
func (s *story) asStored(name string) *unstructured.Unstructured {
	s.t.Helper()
	f, err := s.raw.Get(s.t.Context(), name, metav1.GetOptions{})
	require.NoError(s.t, err)
	return f
}

// requireIntact: under the original's CRD, an object is the same one, with the same status, and all of the spec that is in that CRD.
func (s *story) requireIntact(name string, was *unstructured.Unstructured) {
	s.t.Helper()
	now := s.asStored(name)
	if now.GetUID() != was.GetUID() || now.GetResourceVersion() != was.GetResourceVersion() || now.GetGeneration() != was.GetGeneration() {
		s.t.Errorf("%s was written, or is another one", name)
	}
	if !reflect.DeepEqual(now.Object["status"], was.Object["status"]) {
		s.t.Errorf("%s: the status is\n%v\nand was\n%v", name, now.Object["status"], was.Object["status"])
	}
	spec := was.DeepCopy().Object["spec"]
	prune(spec, specFieldsOfTheOriginal)
	if !reflect.DeepEqual(now.Object["spec"], spec) {
		s.t.Errorf("%s: the spec is\n%v\nand should be\n%v", name, now.Object["spec"], spec)
	}
}

// requireBackAgain: a Framework that was not written meanwhile has all its fields, including those unknown to the original.
func (s *story) requireBackAgain(name string, was *unstructured.Unstructured) {
	s.t.Helper()
	now := s.asStored(name)
	if !reflect.DeepEqual(now.Object["spec"], was.Object["spec"]) {
		s.t.Errorf("%s: the spec is\n%v\nand was\n%v", name, now.Object["spec"], was.Object["spec"])
	}
	state := func(f *unstructured.Unstructured) string { return fieldsOf(f.Object).at("status").text("state") }
	if state(now) != state(was) {
		s.t.Errorf("%s is %s, and was %s", name, state(now), state(was))
	}
}

// specFieldsOfTheOriginal are the fields of a spec that the original knows, by their paths; fields of a Pod template are ignored.
var specFieldsOfTheOriginal = func() map[string]bool {
	known := map[string]bool{}
	for _, path := range []string{"description", "executionType", "taskRoles", "taskRoles.name", "taskRoles.taskNumber",
		"taskRoles.frameworkAttemptCompletionPolicy", "taskRoles.frameworkAttemptCompletionPolicy.minFailedTaskCount",
		"taskRoles.frameworkAttemptCompletionPolicy.minSucceededTaskCount", "taskRoles.task", "taskRoles.task.podGracefulDeletionTimeoutSec",
		"taskRoles.task.pod", "retryPolicy", "taskRoles.task.retryPolicy", "retryPolicy.fancyRetryPolicy", "taskRoles.task.retryPolicy.fancyRetryPolicy",
		"retryPolicy.maxRetryCount", "taskRoles.task.retryPolicy.maxRetryCount"} {
		known[path] = true
	}
	return known
}()

// prune drops the fields that are not known.
func prune(value any, known map[string]bool) { pruneAt("", value, known) }

func pruneAt(path string, value any, known map[string]bool) {
	switch v := value.(type) {
	case []any:
		for _, each := range v {
			pruneAt(path, each, known)
		}
	case map[string]any:
		for key, each := range v {
			switch at := strings.TrimPrefix(path+"."+key, "."); {
			case !known[at]:
				delete(v, key)
			case key != "pod" || known[at+".name"]:
				pruneAt(at, each, known)
			}
		}
	}
}

// kindsIn returns the type at each path of a value; [] is the path of the items of a list.
func kindsIn(value any) map[string]string {
	kinds := map[string]string{}
	var walk func(path string, value any)
	walk = func(path string, value any) {
		switch v := value.(type) {
		case []any:
			kinds[path] = "list"
			for _, each := range v {
				walk(path+"[]", each)
			}
		case map[string]any:
			kinds[path] = "object"
			for key, each := range v {
				walk(strings.TrimPrefix(path+"."+key, "."), each)
			}
		case nil:
			if kinds[path] == "" {
				kinds[path] = "null"
			}
		case string, bool:
			kinds[path] = fmt.Sprintf("%T", v)
		default:
			kinds[path] = "number"
		}
	}
	walk("", value)
	return kinds
}

// recordedStatus returns a status that the original has stored.
func recordedStatus(t *testing.T, name string) any {
	t.Helper()
	text, err := os.ReadFile("../../pkg/apis/frameworkcontroller/v1/testdata/recorded/" + name + ".json")
	require.NoError(t, err)
	var f struct{ Status any }
	require.NoError(t, json.Unmarshal(text, &f))
	return f.Status
}

// requireReadableByTheOriginal: our status has each field that the original writes in that state, of the same type.
func requireReadableByTheOriginal(t *testing.T, name string, f *unstructured.Unstructured, recorded string) {
	t.Helper()
	ours := kindsIn(f.Object["status"])
	theirs := kindsIn(recordedStatus(t, recorded))
	if len(theirs) < 20 {
		t.Fatalf("%s has only %d fields", recorded, len(theirs))
	}
	for path, kind := range theirs {
		switch own, there := ours[path]; {
		case strings.HasSuffix(path, "[]"): // there may be none in the list
		case !there:
			t.Errorf("%s: the status has no %s, which the original writes", name, path)
		case own != kind && own != "null" && kind != "null":
			t.Errorf("%s: %s is of type %s, and %s with the original", name, path, own, kind)
		}
	}
}

// writeAsTheOriginal writes a Framework as the original does in each of its rounds: the whole object, with the fields that it knows.
func (s *story) writeAsTheOriginal(name, recorded string) {
	s.t.Helper()
	known := map[string]bool{}
	for path := range maps.Keys(kindsIn(recordedStatus(s.t, recorded))) {
		known[strings.ReplaceAll(path, "[]", "")] = true
	}
	f := s.asStored(name)
	prune(f.Object["status"], known)
	_, err := s.raw.Update(s.t.Context(), f, metav1.UpdateOptions{FieldManager: "the-original"})
	require.NoError(s.t, err)
}
