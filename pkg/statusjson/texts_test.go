package statusjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// eachText calls do for every string and every text in JSON that a value holds, with the path to it. It makes what is nil,
// and one element for each list, so that none is left out.
func eachText(v reflect.Value, path string, do func(path string, text reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[json.RawMessage](), v.Kind() == reflect.String:
		do(path, v)
	case v.Type() == reflect.TypeFor[*metav1.Time]():
		// It has no text, and as zero it is stored as none.
	case v.Kind() == reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		eachText(v.Elem(), path, do)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		if v.IsNil() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		for i := range v.Len() {
			eachText(v.Index(i), path, do)
		}
	case v.Kind() == reflect.Struct && strings.HasPrefix(v.Type().PkgPath(), "github.com/") || v.Type().Name() == "Condition":
		for i := range v.NumField() {
			eachText(v.Field(i), path+"."+v.Type().Field(i).Name, do)
		}
	}
}

// statusWith has that text in every field of that path, and in the others as much as can be; and a Task with all there is.
func statusWith(at, text string) (*v1.FrameworkStatus, []Role) {
	status := &v1.FrameworkStatus{}
	eachText(reflect.ValueOf(status).Elem(), "", func(path string, v reflect.Value) {
		given := strings.Repeat("a", bounds[path])
		if path == at {
			given = text
		}
		if v.Kind() == reflect.String {
			v.SetString(given)
			return
		}
		quoted, _ := json.Marshal(given)
		v.SetBytes(quoted)
	})
	var roles []Role
	for _, r := range status.AttemptStatus.TaskRoleStatuses {
		roles = append(roles, Role{r.Name, r.InstanceUID, r.PodGracefulDeletionTimeoutSec, r.RetriedCount, r.Items, []*v1.TaskStatus{&r.TaskStatuses[0]}})
	}
	return status, roles
}

func textPaths() (paths []string) {
	eachText(reflect.ValueOf(&v1.FrameworkStatus{}).Elem(), "", func(path string, _ reflect.Value) { paths = append(paths, path) })
	return paths
}

// bounds are how long texts may be that are not cut, since they would be something else then: names and UIDs of
// Kubernetes, what has few values, and hints, which are refused if they are longer.
var bounds = func() map[string]int {
	const attempt, role, task = ".AttemptStatus", ".AttemptStatus.TaskRoleStatuses", ".AttemptStatus.TaskRoleStatuses.TaskStatuses"
	return map[string]int{
		".AvoidedNodes.Name": 253, ".AvoidedNodes.Mode": 10, ".AvoidedNodes.Role": 63, ".AvoidedNodes.TaskRoleName": 63,
		".AvoidedNodes.Phrase": 256, ".AvoidedNodes.Source.Plugin": 63,
		".ServiceName": 63, ".SecretName": 253,
		".Volumes.Name": 63, ".Volumes.Per": 10, ".Volumes.Role": 63, ".Volumes.Retention": 10,
		".StartedAfter.Framework": 63, ".StartedAfter.UID": 40, ".StartedAfter.Outcome": 10,
		".Gates.Revision": 80, ".Gates.Created": 200 * 64, ".Gates.Open": 200 * 64,
		".State": 30, ".Gate": 60, ".Conditions.Type": 30, ".Conditions.Status": 10,
		attempt + ".InstanceUID": 60, attempt + ".ConfigMapName": 253, attempt + ".ConfigMapUID": 40,
		attempt + ".CompletionStatus.CompletionStatus.Type.Name":       10,
		attempt + ".CompletionStatus.CompletionStatus.Type.Attributes": 10,
		attempt + ".CompletionStatus.Trigger.TaskRoleName":             63,
		attempt + ".CompletionStatus.Trigger.Rule":                     30,
		attempt + ".CompletionStatus.Retries.Of":                       10,
		attempt + ".CompletionStatus.Retries.Name":                     74,
		attempt + ".CompletionStatus.Retries.Row":                      4,
		attempt + ".CompletionStatus.Retries.Budget":                   266,
		attempt + ".SchedulerHints.Plugin":                             63,
		attempt + ".SchedulerHints.Version":                            256,
		attempt + ".SchedulerHints.Scale":                              200 * 90,
		attempt + ".SchedulerHints.Answer":                             64 << 10,
		attempt + ".SchedulerHints.Admission":                          64 << 10,
		attempt + ".SchedulerHints.Superseded.APIVersion":              317,
		attempt + ".SchedulerHints.Superseded.Kind":                    63,
		attempt + ".SchedulerHints.Superseded.Name":                    253,
		".RetryPolicyStatus.Budgets.Cause":                             266, task + ".RetryPolicyStatus.Budgets.Cause": 266,
		task + ".EarlierAttempts.Node": 253, task + ".EarlierAttempts.Type.Name": 10, task + ".EarlierAttempts.Type.Attributes": 10,
		".Waiting.Reason": 100, ".Waiting.Role": 63, ".Waiting.Pod": 253, ".Waiting.Node": 253, ".Waiting.Container": 63, ".Waiting.Action": 30,
		attempt + ".SchedulerHints.SchedulingDigest":         64,
		task + attempt + ".AwaitedRestart.TaskRestart.Scope": 10, task + attempt + ".AwaitedRestart.TaskRestart.TaskRoleName": 63,
		task + attempt + ".Restart.Scope": 10, task + attempt + ".Restart.TaskRoleName": 63,
		task + attempt + ".CompletionStatus.Advice.Restart":   10,
		task + attempt + ".CompletionStatus.Memory.Container": 63, task + attempt + ".CompletionStatus.Memory.Kept": 10,
		task + attempt + ".CompletionStatus.Memory.From": 20, task + attempt + ".CompletionStatus.Memory.To": 20,
		task + ".Memory.Container": 63, task + ".Memory.Limit": 20, task + ".Memory.Request": 20, task + ".Memory.FirstLimit": 20,
		role + ".Name": 63, role + ".InstanceUID": 60, role + ".Items.Digest": 64,
		task + ".InstanceUID": 60, task + ".State": 30,
		task + attempt + ".InstanceUID": 60, task + attempt + ".PodName": 253, task + attempt + ".PodUID": 40,
		task + attempt + ".PodNodeName": 253, task + attempt + ".PodIP": 50, task + attempt + ".PodHostIP": 50,
		task + attempt + ".CompletionStatus.CompletionStatus.Type.Name":       10,
		task + attempt + ".CompletionStatus.CompletionStatus.Type.Attributes": 10,
	}
}()

// Whichever text of a status is huge, the stored status fits, and decodes to the status with that text cut.
func TestAnyHugeText(t *testing.T) {
	huge, found := text(3<<19), 0
	for _, path := range textPaths() {
		if bounds[path] > 0 {
			found++
			continue
		}
		t.Run(path, func(t *testing.T) {
			status, roles := statusWith(path, huge)
			encoder := &Encoder{}
			encoded, report := encode(t, encoder, status, roles)
			if len(encoded) > StorageBytes || !report.Cut {
				t.Fatalf("%d bytes, report %+v", len(encoded), report)
			}
			want := plain(status, roles)
			encoder.Cutting().ApplyTo(want)
			checkSame(t, decode(t, encoded), want)
			before, _ := statusWith(path, huge)
			checkSame(t, status, before)
		})
	}
	if found != len(bounds) {
		t.Errorf("%d of %d texts with bounds are found in %q", found, len(bounds), textPaths())
	}
}

// As many nodes as can be avoided, with texts as long as they can be and twice as long in JSON, leave room for many Tasks.
func TestMostAvoidedNodes(t *testing.T) {
	status, roles := newStatus(), []Role{newRole("a", 10000, 64)}
	long := strings.Repeat("\n", 256)
	for range v1.MaxAvoidedNodes {
		status.AvoidedNodes = append(status.AvoidedNodes, v1.AvoidedNode{
			Name: strings.Repeat("n", 253), Mode: v1.AvoidRequire, Role: strings.Repeat("r", 63), TaskRoleName: strings.Repeat("r", 63),
			Phrase: long, Reason: long, Source: &v1.CompletionSource{Plugin: "p", Version: long, Rule: long},
		})
	}
	encoded, _ := encode(t, &Encoder{}, status, roles)
	if len(encoded) > StorageBytes {
		t.Fatalf("%d bytes", len(encoded))
	}
	got := decode(t, encoded)
	if len(got.AvoidedNodes) != v1.MaxAvoidedNodes || got.AvoidedNodes[0].Phrase != long || got.AvoidedNodes[0].Source.Plugin != "p" {
		t.Errorf("%d nodes", len(got.AvoidedNodes))
	}
	if status.AvoidedNodes[0].Reason != long {
		t.Error("what was to be stored was changed")
	}
}

// What a Framework says of itself outlasts the messages of its many Tasks.
func TestOwnTextIsCutLast(t *testing.T) {
	status, roles := newStatus(), []Role{newRole("a", 1000, 4096)}
	own := strings.Repeat("x", ownText)
	status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{CompletionStatus: v1.CompletionStatus{Diagnostics: own}}
	encoded, report := encodeInto(t, &Encoder{}, status, roles, StorageBytes/10)
	if got := decode(t, encoded).AttemptStatus.CompletionStatus.Diagnostics; got != own || !report.Cut || len(encoded) > StorageBytes/10 {
		t.Errorf("%d bytes of %d are left, in a status of %d", len(got), len(own), len(encoded))
	}
}
