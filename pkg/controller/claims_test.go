package controller

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// A Framework without volumes asks for no claims.
func TestNoClaims(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a")
	w.requireRequests("* "+apitest.Claims, 0)
}

// Each claim is there before the first Pod that needs it, and is mounted under its name.
func TestClaimsBeforePods(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2), volume("all", v1.VolumePerFramework, v1.VolumeDelete), volume("own", v1.VolumePerTask, v1.VolumeRetain))
	order := map[string]int{}
	for i, q := range w.Requests("create *") {
		order[q.Resource+" "+q.Name] = i
	}
	for pod, claims := range map[string][]string{"a-w-0": {"a-all", "a-w-0-own"}, "a-w-1": {"a-all", "a-w-1-own"}} {
		mounted := claimsOf(t, w.Get(apitest.Pods, pod))
		for i, claim := range claims {
			if order[apitest.Claims+" "+claim] > order[apitest.Pods+" "+pod] || w.Get(apitest.Claims, claim) == nil {
				t.Errorf("%s was not there before %s", claim, pod)
			}
			if mounted[i] != claim {
				t.Errorf("%s has the claims %v", pod, mounted)
			}
		}
	}
	w.requireRequests("create "+apitest.Claims, 3)
	for name, owners := range map[string]int{"a-all": 1, "a-w-0-own": 0} {
		claim := w.Get(apitest.Claims, name)
		if got := len(claim.GetOwnerReferences()); got != owners || claim.GetLabels()[v1.KeyFrameworkName] != "a" {
			t.Errorf("%s has %d owners and the labels %v", name, got, claim.GetLabels())
		}
		storage, _, _ := unstructured.NestedString(claim.Object, "spec", "resources", "requests", "storage")
		if storage != "1Gi" {
			t.Errorf("%s asks for %q", name, storage)
		}
	}
}

// claimsOf are the names of the claims that a Pod mounts.
func claimsOf(t *testing.T, pod *unstructured.Unstructured) (names []string) {
	t.Helper()
	volumes, _, _ := unstructured.NestedSlice(pod.Object, "spec", "volumes")
	for _, v := range volumes {
		name, _, _ := unstructured.NestedString(v.(map[string]any), "persistentVolumeClaim", "claimName")
		names = append(names, name)
	}
	return names
}

// A Task keeps its claim over its own retries, retries of the Framework, and a restart of the controller. It loses the claim by a
// scale-down, or at the end of the Framework, unless the claim is to be retained.
func TestClaimsOutliveAttempts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", tasks(2), taskRetries(1), frameworkRetries(1), volume("data", v1.VolumePerTask, v1.VolumeDelete), volume("kept", v1.VolumePerTask, v1.VolumeRetain))
	uid := w.uidOf(apitest.Claims, "a-w-0-data")
	w.EndPod("a-w-0", 1)
	w.eventually("the Task is retried", func() bool {
		return w.status("a").AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.ID == 1
	})
	w.runs("a")
	w.restart()
	w.EndPod("a-w-0", 1)
	w.eventually("the Framework is retried", func() bool { return w.status("a").AttemptStatus.ID == 1 })
	w.runs("a")
	if got := w.uidOf(apitest.Claims, "a-w-0-data"); got != uid {
		t.Errorf("the claim was %s, and is %s", uid, got)
	}
	w.respec("a", tasks(1), volume("data", v1.VolumePerTask, v1.VolumeDelete), volume("kept", v1.VolumePerTask, v1.VolumeRetain))
	w.eventually("its claim has gone", func() bool { return w.Get(apitest.Claims, "a-w-1-data") == nil })
	w.DeleteForeground(apitest.Frameworks, "a")
	w.eventually("all has gone", func() bool {
		return w.Get(apitest.Frameworks, "a") == nil && w.Get(apitest.Claims, "a-w-0-data") == nil
	})
	kept := w.uidOf(apitest.Claims, "a-w-1-kept")
	if kept == "" {
		t.Fatal("what is to be retained has gone")
	}
	w.running("a", tasks(2), volume("kept", v1.VolumePerTask, v1.VolumeRetain))
	if got := w.uidOf(apitest.Claims, "a-w-1-kept"); got != kept {
		t.Errorf("the claim was %s, and the next Framework has %s", kept, got)
	}
}

// Somebody else's claim is neither used nor deleted, nor is a claim left by an earlier Framework, if the next one would delete it.
func TestClaimsOfOthers(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Create(apitest.Claims, stranger("a-w-0-data"))
	w.create("a", volume("data", v1.VolumePerTask, v1.VolumeDelete))
	w.waitsFor("a", "NameConflict", "PersistentVolumeClaim a-w-0-data does not belong to this Framework", "rename the volume")
	w.Delete(apitest.Claims, "a-w-0-data")
	w.runs("a")

	left := stranger("b-w-0-data")
	left.SetLabels(map[string]string{v1.KeyFrameworkName: "b"})
	w.Create(apitest.Claims, left)
	w.create("b", volume("data", v1.VolumePerTask, v1.VolumeDelete))
	w.waitsFor("b", "NameConflict", "b-w-0-data is of an earlier Framework", "set retention to Retain")
	w.respec("b")
	w.runs("b")
	if w.Get(apitest.Claims, "b-w-0-data") == nil {
		t.Error("it was deleted")
	}
	w.create("c", tasks(0), volume("data", v1.VolumePerTask, v1.VolumeDelete))
	w.requireRequests("delete "+apitest.Claims, 0)
}

// A controller without the permission reports which file grants it, and asks less and less often. Other Frameworks run meanwhile.
func TestClaimsForbidden(t *testing.T) {
	inBubble(t, func(w *world) {
		w.Judge(func(q apitest.Request) apitest.Fault {
			if q.Resource == apitest.Claims {
				return apitest.Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, `persistentvolumeclaims is forbidden: User "fc" cannot create resource`)
			}
			return apitest.Fault{}
		})
		w.start()
		w.create("a", tasks(3), volume("data", v1.VolumePerTask, v1.VolumeDelete))
		w.waitsFor("a", "Forbidden", "creating a PersistentVolumeClaim", "deploy/volumes/claims.yaml grants")
		w.running("b")
		time.Sleep(10 * time.Minute)
		if n := len(w.Requests("create " + apitest.Claims)); n < 5 || n > 130 { // one in five seconds, for all Tasks
			w.t.Errorf("it was asked for %d times", n)
		}
		if n := len(w.Requests("create pods")); n != 1 {
			w.t.Errorf("%d Pods were created", n)
		}
		w.Judge(nil)
		w.runs("a")
	})
}

// The refusal of a claim is reported in the API server's words, and the spec can be corrected.
func TestClaimRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Judge(func(q apitest.Request) apitest.Fault {
		if q.Resource == apitest.Claims && q.Verb == "create" && !strings.Contains(fmt.Sprint(q.Body["spec"]), "1Gi") {
			return apitest.Refuse(http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, "spec.resources[storage]: Required value")
		}
		return apitest.Fault{}
	})
	w.start()
	w.create("a", func(s *v1.FrameworkSpec) {
		s.Volumes = []v1.VolumeSpec{{Name: "data", MountPath: "/data", Claim: []byte("{}")}}
	})
	w.waitsFor("a", "Invalid", "creating a PersistentVolumeClaim: spec.resources[storage]: Required value")
	w.respec("a", volume("data", v1.VolumePerFramework, v1.VolumeDelete))
	w.runs("a")
}

// A claim whose creation was not answered may still appear. It is not forgotten.
func TestClaimWithoutAnswer(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Inject("create "+apitest.Claims, 1, apitest.LoseAnswer)
	w.running("a", volume("data", v1.VolumePerTask, v1.VolumeDelete))
	w.respec("a", tasks(0), volume("data", v1.VolumePerTask, v1.VolumeDelete))
	w.eventually("it has gone", func() bool { return w.Get(apitest.Claims, "a-w-0-data") == nil })
	w.eventually("the status says so", func() bool { return w.status("a").Volumes[0].Claims == 0 })
}

// A claim that a Pod still uses is deleted once the Pod is gone, and is looked up less and less often until then. Nothing else waits for
// it.
func TestClaimInUse(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.running("a", tasks(2), volume("data", v1.VolumePerTask, v1.VolumeDelete))
		for _, claim := range []string{"a-w-0-data", "a-w-1-data"} {
			w.Edit(apitest.Claims, claim, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"kubernetes.io/pvc-protection"}) })
		}
		w.respec("a", tasks(2))
		time.Sleep(time.Hour)
		if n := len(w.Requests("delete " + apitest.Claims)); n < 20 || n > 160 {
			w.t.Errorf("there were %d deletions", n)
		}
		began := time.Now()
		w.respec("a", tasks(1))
		w.eventually("a Pod has gone", func() bool { return w.Get(apitest.Pods, "a-w-1") == nil })
		if took := time.Since(began); took > time.Second {
			w.t.Errorf("that took %s", took)
		}
		for _, claim := range []string{"a-w-0-data", "a-w-1-data"} {
			w.Edit(apitest.Claims, claim, func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		}
		time.Sleep(2 * goingLooks)
		if volumes := w.status("a").Volumes; len(volumes) > 0 {
			w.t.Errorf("the status has %+v", volumes)
		}
	})
}

// A volume that is taken out and put back while Pods use its claims: a Task that is retried waits for its own claim only, and gets a new one.
func TestClaimPutBack(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		data := volume("data", v1.VolumePerTask, v1.VolumeDelete)
		w.running("a", tasks(2), taskRetries(1), data)
		former := map[string]string{}
		for _, claim := range []string{"a-w-0-data", "a-w-1-data"} {
			former[claim] = string(w.uidOf(apitest.Claims, claim))
			w.Edit(apitest.Claims, claim, func(o *unstructured.Unstructured) { o.SetFinalizers([]string{"kubernetes.io/pvc-protection"}) })
		}
		w.respec("a", tasks(2), taskRetries(1))
		time.Sleep(time.Minute)
		w.respec("a", tasks(2), taskRetries(1), data)
		time.Sleep(time.Minute)
		w.EndPod("a-w-1", 1)
		time.Sleep(time.Minute)
		if w.Get(apitest.Pods, "a-w-1") != nil {
			w.t.Error("the Pod was created before its former claim was gone")
		}
		w.Edit(apitest.Claims, "a-w-1-data", func(o *unstructured.Unstructured) { o.SetFinalizers(nil) })
		time.Sleep(2 * goingLooks)
		if w.Get(apitest.Pods, "a-w-1") == nil {
			w.t.Error("the Task still waits")
		}
		if got := string(w.uidOf(apitest.Claims, "a-w-1-data")); got == former["a-w-1-data"] {
			w.t.Error("it has its former claim")
		}
		if got := string(w.uidOf(apitest.Claims, "a-w-0-data")); got != former["a-w-0-data"] {
			w.t.Error("the other one has gone as well")
		}
		if entry := w.status("a").Volumes[0]; entry.Claims != 2 || len(entry.Replacing) != 1 || entry.Replacing[0] != 0 {
			w.t.Errorf("the status has %+v", entry)
		}
	})
}
