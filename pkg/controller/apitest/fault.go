package apitest

import (
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is a failure of a request. The zero value is none.
type Fault struct {
	// Wait until this is closed, before anything else.
	Wait <-chan struct{}
	// Drop the connection instead of performing the request.
	Drop bool
	// Late: drop the connection at once, and perform the request when this is closed.
	Late <-chan struct{}
	// Refuse with this status instead of performing the request.
	Refuse *metav1.Status
	// Lose the answer: the request is performed, and then the connection dropped.
	Lose bool
	// LoseIf is called once the request is performed, with whether the request changed anything, and returns whether
	// to lose the answer; nil loses none. It must not call the server.
	LoseIf func(changed bool) bool
	// Instead is sent to the client in place of the result of the request, which is performed.
	Instead *metav1.Status
	// Warnings are sent along with the answer.
	Warnings []string
}

// Faults that need no details.
var (
	DropConnection = Fault{Drop: true}
	LoseAnswer     = Fault{Lose: true}
)

// Refuse is an answer of that code.
func Refuse(code int32, reason metav1.StatusReason, message string) Fault {
	return Fault{Refuse: failure(code, reason, message)}
}

// Quota is the answer of an API server whose namespace is full.
func Quota() Fault {
	return Refuse(http.StatusForbidden, metav1.StatusReasonForbidden,
		`pods is forbidden: exceeded quota: count, requested: pods=1, used: pods=1, limited: pods=1`)
}

// Unreachable is the answer of an API server whose storage did not respond: the request may or may not have been performed.
// Clients retry by themselves after the given number of seconds.
func Unreachable(seconds int32) *metav1.Status {
	s := failure(http.StatusInternalServerError, metav1.StatusReasonServerTimeout, "the storage could not be reached")
	s.Details = &metav1.StatusDetails{RetryAfterSeconds: seconds}
	return s
}

func failure(code int32, reason metav1.StatusReason, message string) *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Code:     code,
		Reason:   reason,
		Message:  message,
	}
}

// Always is the number of times for a fault that stays until it is removed.
const Always = -1

// Heal removes all faults.
func (s *Server) Heal() {
	s.steer(func() { s.judge, s.faults, s.denied = nil, nil, map[string]bool{} })
}

func (f Fault) none() bool {
	return f.Wait == nil && f.Late == nil && f.Refuse == nil && f.Instead == nil && f.Warnings == nil && f.LoseIf == nil && !f.Drop && !f.Lose
}

type injected struct {
	pattern string
	left    int // remaining number of times; negative for always
	fault   Fault
}

// Inject adds a fault to the next requests that match the pattern, as often as times says, or Always. The returned function
// removes the fault.
func (s *Server) Inject(pattern string, times int, f Fault) (remove func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := &injected{pattern, times, f}
	s.faults = append(s.faults, i)
	return func() { s.steer(func() { i.left = 0 }) }
}

// Judge has a function decide about every request, before any injected fault; nil undoes that. It must not call
// the server.
func (s *Server) Judge(judge func(Request) Fault) {
	s.steer(func() { s.judge = judge })
}

// faultOf returns the first remaining fault for the request.
func (s *Server) faultOf(q *Request) Fault {
	if s.judge != nil {
		if f := s.judge(*q); !f.none() {
			return f
		}
	}
	for _, i := range s.faults {
		if i.left != 0 && q.matches(i.pattern) {
			i.left--
			return i.fault
		}
	}
	if s.denied[q.Verb+" "+q.Resource] {
		return Refuse(http.StatusForbidden, metav1.StatusReasonForbidden, q.Resource+` is forbidden: User "controller" cannot `+q.Verb)
	}
	return Fault{}
}
