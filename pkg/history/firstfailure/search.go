package firstfailure

import (
	"cmp"
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Failure is an attempt of a Task that did not succeed.
type Failure struct {
	// ID is the caller's name for it.
	ID      int64
	Role    string
	Index   int32
	Attempt int32
	// Ended is when its containers ended, or else when the attempt did.
	Ended time.Time
	Kind  Kind
}

// Kind is the cause of a failure, as far as its completion shows it.
type Kind int

// The kinds; see the package.
const (
	Own Kind = iota
	Disruption
	EndedByOthers
)

// KindOf returns the kind of a failure.
func KindOf(c *historyapi.Completion) Kind {
	status := v1.CompletionStatus{Code: c.Code, Phrase: c.Phrase, Type: v1.CompletionType{Name: v1.CompletionTypeName(c.Type)}}
	switch entry, predefined := completion.EntryOf(status); {
	case predefined && entry.EndedByOthers:
		return EndedByOthers
	case c.Plugin == v1.SourceKubernetes, slices.Contains(c.Attributes, string(v1.AttributeConflict)),
		predefined && entry.Code == completion.CodePodExternalDeleted:
		return Disruption
	}
	return Own
}

// Search looks for the first failure. The zero value has seen none.
type Search struct {
	first         [EndedByOthers]*Failure // by kind
	own           int64
	disruptions   []time.Time // their ends
	endedByOthers int64
}

// Add looks at a failure.
func (s *Search) Add(f Failure) {
	switch f.Kind {
	case EndedByOthers:
		s.endedByOthers++
		return
	case Disruption:
		s.disruptions = append(s.disruptions, f.Ended)
	case Own:
		s.own++
	}
	if first := s.first[f.Kind]; first == nil || f.compare(first) < 0 {
		s.first[f.Kind] = &f
	}
}

func (f *Failure) compare(g *Failure) int {
	return cmp.Or(f.Ended.Compare(g.Ended), cmp.Compare(f.Role, g.Role), cmp.Compare(f.Index, g.Index), cmp.Compare(f.Attempt, g.Attempt))
}

// Answer returns the ID of the first failure, and the answer without attempt and Task; found is false if nothing failed.
func (s *Search) Answer() (id int64, answer historyapi.FirstFailure, found bool) {
	answer.EndedByOthers = s.endedByOthers
	own, disruption := s.first[Own], s.first[Disruption]
	switch {
	case own != nil:
		for _, ended := range s.disruptions {
			if ended.Before(own.Ended) {
				answer.DisruptionsBefore++
			}
		}
		answer.Why = historyapi.FailedFirst
		answer.Consequences = s.own - 1 + int64(len(s.disruptions)) - answer.DisruptionsBefore
		return own.ID, answer, true
	case disruption != nil:
		answer.Why, answer.Consequences = historyapi.DisruptedFirst, int64(len(s.disruptions))-1
		return disruption.ID, answer, true
	}
	answer.Why = historyapi.NoneFailed
	return 0, answer, false
}
