package security

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
)

// auditPolicy has the requests of the controller logged when they are answered; those of a watch when it begins.
const auditPolicy = `
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: ["system:serviceaccount:` + installed + `:` + installed + `"]
- level: None
`

// auditLog is what the API server writes down.
type auditLog struct {
	path string
}

// request is what the log says of one.
type request struct {
	Verb      string
	ObjectRef struct{ Resource, Subresource, Namespace, Name string }
	Response  struct{ Code int } `json:"responseStatus"`
}

func (r request) String() string {
	o := r.ObjectRef
	return fmt.Sprintf("%s %s/%s in %q: %d", r.Verb, o.Resource, o.Name, o.Namespace, r.Response.Code)
}

// writes reports whether it is more than reading.
func (r request) writes() bool { return !slices.Contains([]string{"get", "list", "watch"}, r.Verb) }

// end is where the log ends now.
func (l *auditLog) end(t *testing.T) int64 {
	t.Helper()
	info, err := os.Stat(l.path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// since returns the requests from there on that are such ones.
func (l *auditLog) since(t *testing.T, offset int64, such func(request) bool) []request {
	t.Helper()
	text, err := os.ReadFile(l.path)
	if err != nil {
		t.Fatal(err)
	}
	var out []request
	for line := range bytes.Lines(text[offset:]) {
		if !bytes.HasSuffix(line, []byte("\n")) {
			break // which is being written
		}
		var r request
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if such(r) {
			out = append(out, r)
		}
	}
	return out
}
