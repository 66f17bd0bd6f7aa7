package historyclient

import (
	"net/url"
	"strconv"
	"time"
)

// Filter chooses from a list. Zero and nil fields choose all; each list has only some of the fields.
type Filter struct {
	Namespace     string
	Name, UID     string
	LabelSelector string
	Node          string
	Code          *int32
	// Failed leaves out successes.
	Failed bool
	// Details adds containers and requests to attempts of Tasks.
	Details bool
	// Since and Until bound the time. The server replaces a zero Since by 7 days ago.
	Since, Until time.Time
	// Attempt of the Framework, and Role and Index of a Task.
	Attempt *int32
	Role    string
	Index   *int32
}

// parameters returns the parameters of a request to the server.
func (f Filter) parameters() url.Values {
	out := url.Values{}
	for name, text := range map[string]string{
		"namespace": f.Namespace, "name": f.Name, "uid": f.UID, "labelSelector": f.LabelSelector, "node": f.Node, "role": f.Role,
	} {
		if text != "" {
			out.Set(name, text)
		}
	}
	for name, number := range map[string]*int32{"code": f.Code, "attempt": f.Attempt, "index": f.Index} {
		if number != nil {
			out.Set(name, strconv.Itoa(int(*number)))
		}
	}
	for name, at := range map[string]time.Time{"since": f.Since, "until": f.Until} {
		if !at.IsZero() {
			out.Set(name, at.UTC().Format(time.RFC3339))
		}
	}
	for name, set := range map[string]bool{"failed": f.Failed, "details": f.Details} {
		if set {
			out.Set(name, "true")
		}
	}
	return out
}
