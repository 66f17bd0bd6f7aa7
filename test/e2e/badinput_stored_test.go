package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func specInvalid(says string) answer {
	return answer{condition: v1.ConditionStatusInvalid, reason: "SpecInvalid", says: says, event: "SpecInvalid"}
}

// specUnwritable is for a spec with something of another type where the CRD has a rule: the API server takes no write of such an
// object, so there is an event only.
func specUnwritable(says string) answer { return answer{event: "SpecInvalid", eventSays: says} }

func statusInvalid(says string) answer {
	return answer{condition: v1.ConditionStatusInvalid, reason: "StatusInvalid", says: says, event: "StatusInvalid"}
}

// laxlyStored are Frameworks that were stored when a CRD was installed that allows more than ours.
var laxlyStored = []struct {
	did, name, fields string
	answer            answer
}{
	{"taskNumber as a text", "many", inRole(`taskNumber: many`), specInvalid("cannot unmarshal string into Go struct field TaskRoleSpec.taskRoles.taskNumber")},
	{"taskNumber 3000000000", "huge", inRole(`taskNumber: 3000000000`), specInvalid("cannot unmarshal number 3000000000 into Go struct field TaskRoleSpec.taskRoles.taskNumber")},
	{"roles that are not a list", "roles", `spec: {taskRoles: {name: a}}`, specUnwritable("FrameworkSpec.taskRoles of type")},
	{"a role that is a text", "role", `spec: {taskRoles: [a]}`, specUnwritable("v1.TaskRoleSpec")},
	{"a spec that is a text", "text", `spec: x`, specUnwritable("cannot unmarshal string into Go value of type v1.FrameworkSpec")},
	{"a retryPolicy that is a list", "retry", `spec: {retryPolicy: []}`, specUnwritable("FrameworkSpec.retryPolicy")},
	{"a status that is a text", "status", `{spec: {}, status: x}`, statusInvalid("cannot unmarshal string into Go value of type v1.FrameworkStatus")},
	{"a state that is none", "state", `{spec: {}, status: {state: Nonsense}}`, statusInvalid("attemptStatus.configMapName is missing")},
	{"a name with a hyphen", "hyphen-ated", inRole(`taskNumber: 1`), answer{event: "StatusRefused", eventSays: "metadata.name: Invalid value: must be 1 to 63"}},
	{"a template that is a text", "template", inTask(`pod: x`), answer{condition: v1.ConditionFailed, says: "PodCreationPermanentError, code -200: Pod creation failed: ", event: "PodRefused", eventSays: "task.pod: must be an object, not a string"}},
	{"a role without a name", "unnamed", `spec: {taskRoles: [{taskNumber: 1, task: {pod: ` + pod() + `}}]}`, specInvalid("taskRoles[0].name")},
	{"duplicate roles", "twice", `spec: {taskRoles: [{name: a, task: {pod: ` + pod() + `}}, {name: a, taskNumber: 2}]}`, answer{event: "RoleDuplicated", eventSays: "taskRoles[1]: the name a is already used by taskRoles[0]"}},
	{"an executionType misspelt", "misspelt", `spec: {executionType: Strat, taskRoles: []}`, specInvalid("executionType")},
	{"taskNumber -1", "negative", inRole(`taskNumber: -1`), specInvalid("taskRoles[0].taskNumber")},
}

// Such objects keep no others from running, and a repaired one continues.
func TestLaxlyStored(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	s.uncheck() // we store statuses that the controller has not stored
	for _, row := range laxlyStored {
		s.store(row.name, row.fields)
	}
	s.neighbour()
	for _, row := range laxlyStored {
		t.Run(row.did, func(t *testing.T) {
			s.partOf(t).requireAnswer(row.name, row.answer)
		})
	}
	s.patch("many", inRole(`task: {pod: `+pod("run-for", "0s")+`}`))
	s.requireCompleted("many", "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=0/0 code=0 Succeeded\n")
	// These are so invalid that the API server accepts no change of them, so a foreground deletion would not end.
	for _, name := range []string{"hyphen-ated", "retry", "role", "roles", "unnamed", "text"} {
		s.delete(name, metav1.DeletePropagationBackground)
	}
}

// store puts a Framework into the storage of the API server, past its validation.
func (s *story) store(name, fields string) {
	s.t.Helper()
	f := map[string]any{}
	require.NoError(s.t, yaml.Unmarshal([]byte(fields), &f))
	f["apiVersion"], f["kind"] = v1.SchemeGroupVersion.String(), v1.FrameworkKind
	f["metadata"] = map[string]any{
		"name": name, "namespace": s.namespace, "uid": uuid.NewUUID(), "generation": 1, "creationTimestamp": metav1.Now(),
	}
	key := fmt.Sprintf("/registry/%s/%s/%s/%s", v1.SchemeGroupVersion.Group, v1.FrameworkPlural, s.namespace, name)
	body := jsonOf(s.t, map[string][]byte{"key": []byte(key), "value": []byte(jsonOf(s.t, f))})
	answer, err := http.Post(etcd(s.t)+"/v3/kv/put", "application/json", strings.NewReader(body))
	require.NoError(s.t, err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		s.t.Fatalf("etcd: %s", answer.Status)
	}
}

// etcd returns the address of the cluster's storage.
func etcd(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(kube.Dir, "kwokctl.yaml"))
	require.NoError(t, err)
	var config struct{ Options struct{ EtcdPort int } }
	require.NoError(t, yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text)).Decode(&config))
	return fmt.Sprint("http://127.0.0.1:", config.Options.EtcdPort)
}

// edits are changes of the status of a running Framework by somebody with too many permissions.
var edits = []struct{ did, name, status string }{
	{"said to have completed", "completed", `{state: Completed}`},
	{"counts made up", "counts", `{tasks: {running: 7, total: 7}, retryPolicyStatus: {totalRetriedCount: 5}}`},
	{"its ConfigMap forgotten", "forgotten", `{attemptStatus: {configMapUID: null}}`},
	{"a state that is none", "nonsense", `{state: Nonsense}`},
	{"roles that do not decode", "undecodable", `{attemptStatus: {taskRoleStatuses: none}}`},
	{"roles taken out", "roles", `{attemptStatus: {taskRoleStatuses: null}}`},
	{"compressed garbage", "garbage", `{attemptStatus: {taskRoleStatuses: null, taskRoleStatusesCompressed: Z2FyYmFnZQ==}}`},
	{"something compressed that is no base64", "base64", `{attemptStatus: {taskRoleStatuses: null, taskRoleStatusesCompressed: "!"}}`},
	{"a bomb", "bomb", `{attemptStatus: {taskRoleStatuses: null, taskRoleStatusesCompressed: ` + bomb() + `}}`},
	{"1 MiB of rubbish", rubbish, `{rubbish: ` + letters(1<<20) + `}`},
	{"taken out", "removed", `null`},
}

// rubbish is a field that statuses do not have. It has no effect, so nothing is reported; the next status write drops it.
const rubbish = "rubbish"

// bomb is small, and very large when it is decompressed: a list that never ends in the memory one has.
func bomb() string {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	w.Write([]byte("["))
	blank := bytes.Repeat([]byte(" "), 1<<20)
	for range 300 {
		w.Write(blank)
	}
	w.Close()
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

// As long as the controller runs, it knows better, and restores the status that it has stored.
func TestStatusEdited(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	before := map[string]*v1.Framework{}
	for _, row := range edits {
		s.create(row.name, roleOf(2, pod()))
	}
	for _, row := range edits {
		before[row.name] = s.awaitAllRunning(row.name, 2)
	}
	for _, row := range edits {
		s.patchStatus(row.name, row.status)
	}
	s.neighbour()
	for _, row := range edits {
		t.Run(row.did, func(t *testing.T) {
			s := s.partOf(t)
			if row.name != rubbish {
				s.requireAnswer(row.name, answer{event: "StatusOverwritten", eventSays: "the status was changed by others; it is being restored"})
			}
			s.eventuallyHasStatus(row.name, before[row.name].Status)
			s.endPod(row.name+"-a-0", 0)
			s.endPod(row.name+"-a-1", 0)
			s.awaitState(row.name, v1.Completed, 0)
		})
	}
	n := 2*len(edits) + 1
	s.requirePods(podCount{created: n, gone: n})
}

// parkedEdits are edits that a controller cannot undo if it was not running at the time.
var parkedEdits = map[string]string{
	"nonsense":    "state",
	"undecodable": "cannot unmarshal string into Go struct field FrameworkAttemptStatus",
	"roles":       "attemptStatus.taskRoleStatuses is null",
	"forgotten":   "the attempt has an instanceUID, but no object",
	"garbage":     "attemptStatus.taskRoleStatusesCompressed: ",
	"base64":      "illegal base64 data",
	"bomb":        "attemptStatus.taskRoleStatusesCompressed: more data than any Framework has",
	"counts":      "totalRetriedCount",
}

// While no controller runs, an invalid edit parks its Framework, and no other; once the status is repaired, the Framework continues, and
// notices the changes in between. The controller that finds the edits also lacks the permission to create Pods everywhere: those Frameworks
// wait until it has it. The test is not parallel, because the controller is restarted.
func TestBadAfterRestart(t *testing.T) {
	s, refused := newStory(t), newStory(t)
	before := map[string]*v1.Framework{}
	for name := range parkedEdits {
		s.create(name, roleOf(1, pod()))
	}
	for name := range parkedEdits {
		before[name] = s.awaitAllRunning(name, 1)
	}
	user := restrictedUser(t)
	s.permitPods(user)
	controller.down(t, func() {
		for _, row := range edits {
			if before[row.name] != nil {
				s.patchStatus(row.name, row.status)
			}
		}
		controller.actAs(t, user)
	})
	defer controller.down(t, func() { controller.actAs(t, "") })

	refused.create("bad", roleOf(2, pod()))
	for name, says := range parkedEdits {
		s.requireAnswer(name, statusInvalid(says))
		s.endPod(name+"-a-0", 0)
	}
	refused.requireAnswer("bad", waitsFor("Forbidden", `pods is forbidden: User "restricted" cannot create resource "pods"`))
	s.neighbour()
	for name := range parkedEdits {
		s.replaceStatus(name, before[name].Status)
		s.awaitState(name, v1.Completed, 0)
	}
	refused.permitPods(user)
	refused.awaitAllRunning("bad", 2)
}

// replaceStatus replaces a whole status in one request: a controller that saw the Framework without a status in between would begin from
// zero.
func (s *story) replaceStatus(name string, status *v1.FrameworkStatus) {
	s.t.Helper()
	patch := `[{"op": "add", "path": "/status", "value": ` + jsonOf(s.t, status) + `}]`
	require.NoError(s.t, s.tryPatch(s.t, name, patch, "status"))
}

// restrictedUser makes a user who may do all that the controller does, except create Pods.
func restrictedUser(t *testing.T) string {
	t.Helper()
	const name = "restricted"
	all := []string{"*"}
	role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{v1.SchemeGroupVersion.Group}, Resources: all, Verbs: all},
		{APIGroups: []string{"apiextensions.k8s.io"}, Resources: all, Verbs: all},
		{APIGroups: []string{""}, Resources: []string{"configmaps", "events"}, Verbs: all},
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get", "list", "watch", "delete"}},
	}}
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: name}},
	}
	if _, err := core.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := core.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		core.RbacV1().ClusterRoleBindings().Delete(context.Background(), name, metav1.DeleteOptions{})
		core.RbacV1().ClusterRoles().Delete(context.Background(), name, metav1.DeleteOptions{})
	})
	return name
}

// permitPods lets a user create Pods in the story's namespace, and returns when that is in force.
func (s *story) permitPods(user string) {
	s.t.Helper()
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user}, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"create"}},
	}}
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: user},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	if _, err := core.RbacV1().Roles(s.namespace).Create(s.t.Context(), role, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	if _, err := core.RbacV1().RoleBindings(s.namespace).Create(s.t.Context(), binding, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
	s.eventually(func(ctx context.Context) error {
		may := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: s.namespace, Verb: "create", Resource: "pods"}}}
		answer, err := core.AuthorizationV1().SubjectAccessReviews().Create(ctx, may, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			return fmt.Errorf("%s may not create Pods yet", user)
		}
		return err
	})
}

// actAs makes the next run of the controller act as that user; empty for its usual identity.
func (p *process) actAs(t *testing.T, user string) {
	t.Helper()
	path := filepath.Join(p.dir, "frameworkcontroller.yaml")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	text, _, _ = bytes.Cut(text, []byte("\nkubeConfigFilePath:"))
	if user != "" {
		text = fmt.Appendf(text, "\nkubeConfigFilePath: %s\n", kubeconfigAs(t, user))
	}
	require.NoError(t, os.WriteFile(path, text, 0o644))
}

func kubeconfigAs(t *testing.T, user string) (path string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(kube.Kubeconfig)
	require.NoError(t, err)
	for who := range maps.Values(config.AuthInfos) {
		who.Impersonate = user
	}
	path = filepath.Join(t.TempDir(), user)
	require.NoError(t, clientcmd.WriteToFile(*config, path))
	return path
}

// eventuallyHasStatus waits until the status is the wanted one again.
func (s *story) eventuallyHasStatus(name string, want *v1.FrameworkStatus) {
	s.t.Helper()
	text := jsonOf(s.t, want)
	s.eventuallyStatus(name, "restored", func(status fieldsOf) bool { return jsonOf(s.t, roundTrip(s.t, status)) == text })
}

// roundTrip reads a status as our types do; a status that does not fit them reads as empty.
func roundTrip(t *testing.T, status fieldsOf) *v1.FrameworkStatus {
	t.Helper()
	out := &v1.FrameworkStatus{}
	if json.Unmarshal([]byte(jsonOf(t, status)), out) != nil {
		return &v1.FrameworkStatus{}
	}
	return out
}

func jsonOf(t *testing.T, value any) string {
	t.Helper()
	body, err := json.Marshal(value)
	require.NoError(t, err)
	return string(body)
}
