package lifecycletest

import (
	"errors"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// faults go wrong with the next requests of the controller. Each fault hits once.
type faults struct {
	list []fault
	// requests made so far.
	requests int
	// crashIn is how many requests the controller still makes before it crashes; negative: it does not.
	crashIn int
}

type fault struct {
	how faultKind
	// prefix of the requests that it hits: an action's text form, or "save".
	prefix string
	// at is the number of the request to hit; 0 hits the first that matches.
	at   int
	code completion.Code // for refusals
}

type faultKind string

const (
	fail   faultKind = "fail"   // the request does not arrive
	lose   faultKind = "lose"   // the request has effect, but its answer is lost
	delay  faultKind = "delay"  // the sender gives up, and the request arrives later
	refuse faultKind = "refuse" // the API server refuses permanently
)

var errUnanswered = errors.New("no answer")

// survive reports whether the controller lives on before its next request.
func (f *faults) survive() bool {
	if f.crashIn == 0 {
		f.crashIn = -1
		return false
	}
	if f.crashIn > 0 {
		f.crashIn--
	}
	return true
}

func (f *faults) take(request string) (fault, bool) {
	f.requests++
	i := slices.IndexFunc(f.list, func(next fault) bool {
		return strings.HasPrefix(request, next.prefix) && (next.at == 0 || next.at == f.requests)
	})
	if i < 0 {
		return fault{}, false
	}
	taken := f.list[i]
	f.list = slices.Delete(f.list, i, i+1)
	return taken, true
}

// request makes a request, unless a fault changes it.
func (f *faults) request(action lifecycle.Action, s *server, send func(late bool) error) error {
	hit, _ := f.take(action.String())
	switch hit.how {
	case fail:
		return errUnanswered
	case lose:
		_ = send(false)
		return errUnanswered
	case delay:
		s.late = append(s.late, func() { _ = send(true) })
		return errUnanswered
	case refuse:
		return refusal{hit.code}
	}
	return send(false)
}

// write stores a status, unless a fault changes the request.
func (f *faults) write(s *server, decidedFrom *object, status []byte) (*object, error) {
	hit, _ := f.take("save")
	if hit.how == fail {
		return nil, errUnanswered
	}
	written, err := s.writeStatus(decidedFrom, status)
	if hit.how == lose {
		return nil, errUnanswered
	}
	return written, err
}
