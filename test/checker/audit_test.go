package checker

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

// Lines of a real log, shortened.
const auditLines = `{"kind":"Event","stage":"ResponseComplete","verb":"create","userAgent":"frameworkcontroller/dev","objectRef":{"resource":"pods","namespace":"n","name":"p","apiVersion":"v1"},"responseStatus":{"metadata":{},"code":201},"responseObject":{"kind":"Pod","metadata":{"name":"p","uid":"u1","resourceVersion":"7"}},"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z"}
{"kind":"Event","stage":"ResponseComplete","verb":"delete","userAgent":"kubectl/1","objectRef":{"resource":"configmaps","namespace":"n","name":"c"},"responseStatus":{"code":200},"requestObject":{"kind":"DeleteOptions","preconditions":{"uid":"u2"}},"responseObject":{"kind":"Status","metadata":{},"details":{"name":"c","uid":"u2"}}}
{"kind":"Event","stage":"ResponseComplete","verb":"delete","userAgent":"kubectl/1","objectRef":{"resource":"pods","namespace":"n","name":"c"},"responseStatus":{"code":200},"responseObject":{"kind":"Status","metadata":{},"details":{"name":"c","uid":"u3"}}}
{"kind":"Event","stage":"ResponseComplete","userAg{"kind":"Event","stage":"ResponseStarted","verb":"watch"}
{"kind":"Event","stage":"Respo`

func TestReadAudit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	require.NoError(t, os.WriteFile(path, []byte(auditLines), 0o644))
	got, err := ReadAudit(path)
	require.NoError(t, err)
	want := []Request{
		{Time: time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC), Agent: "frameworkcontroller/dev", Verb: "create", Resource: "pods", Namespace: "n",
			Name: "p", Code: 201, UID: "u1", Version: 7},
		{Agent: "kubectl/1", Verb: "delete", Resource: "configmaps", Namespace: "n", Name: "c", Code: 200, UID: "u2"},
		{Agent: "kubectl/1", Verb: "delete", Resource: "pods", Namespace: "n", Name: "c", Code: 200, UID: "u3"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	require.NoError(t, os.WriteFile(path, []byte("no JSON\n"), 0o644))
	if _, err := ReadAudit(path); err == nil {
		t.Error("a broken line is no error")
	}
}

func TestAuditPolicyIsYAML(t *testing.T) {
	var policy struct{ Rules []map[string]any }
	if err := yaml.Unmarshal([]byte(AuditPolicy), &policy); err != nil || len(policy.Rules) != 4 {
		t.Errorf("%v %v", err, policy)
	}
}

// The client that deleted an object decides whether the controller is blamed.
func TestDeleters(t *testing.T) {
	byUs := Request{Agent: us, Verb: "delete", Code: 200, UID: "u", Version: 5}
	byThem := Request{Agent: them, Verb: "delete", Code: 200, UID: "u", Version: 4}
	refused := Request{Agent: us, Verb: "delete", Code: 404, UID: "u"}
	all := Request{Agent: them, Verb: "deletecollection", Resource: "pods", Code: 200}
	otherKind := Request{Agent: them, Verb: "deletecollection", Resource: "frameworks", Code: 200}
	tests := []struct {
		requests []Request
		want     deleters
	}{
		{nil, unknown}, {[]Request{refused}, unknown}, {[]Request{byUs}, byController}, {[]Request{byThem}, byOthers},
		{[]Request{byUs, byThem}, bySeveral}, {[]Request{byUs, all}, bySeveral}, {[]Request{refused, byThem}, byOthers},
		{[]Request{byUs, otherKind}, byController},
	}
	ours := func(r Request) bool { return r.Agent == us }
	for _, tt := range tests {
		if got := newAudit(tt.requests, ours).deleters("pods", "u"); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.requests, got, tt.want)
		}
	}
	a := newAudit([]Request{byUs, byThem}, ours)
	if a.controllerDeleted("u", 4) || !a.controllerDeleted("u", 5) {
		t.Error("the version of a deletion is not found")
	}
}
