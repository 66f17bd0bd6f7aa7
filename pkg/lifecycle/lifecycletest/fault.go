package lifecycletest

import (
	"errors"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// faults are what goes wrong with the next requests of the controller. Each fault hits once.
type faults struct {
	list []fault
	// requests made so far.
	requests int
	// crashIn is how many requests the controller still makes before it crashes; negative: it does not.
	crashIn int
}

type fault struct {
	how faultKind
	// prefix of what it hits: an action's text form, or "save".
	prefix string
	// at is the number of the request that it hits; 0 is the first that fits.
	at   int
	code completion.Code // of a refusal
}

type faultKind string

const (
	fail   faultKind = "fail"   // the request does not arrive
	lose   faultKind = "lose"   // the request has effect, but its answer is lost
	delay  faultKind = "delay"  // the sender gives up, and the request arrives later
	refuse faultKind = "refuse" // the API server says no for good
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

// request makes a request, or what a fault makes of it.
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

// write stores a status, or what a fault makes of it.
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
