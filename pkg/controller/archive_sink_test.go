package controller

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// sink is a host with one history sink, which outlives controllers.
type sink struct {
	adviser
	t      *testing.T
	policy pluginhost.FailurePolicy

	mu       sync.Mutex
	broken   bool
	stored   map[string]*pluginpb.Record // by key
	calls    int
	late     chan struct{} // the next call waits until it is closed; nil for no wait
	held     int           // calls that wait for late
	repeated int           // records of attempts of Tasks that were stored already
}

func newSink(t *testing.T) *sink {
	return &sink{adviser: adviser{plugin.KindHistorySink}, t: t, policy: pluginhost.Wait, stored: map[string]*pluginpb.Record{}}
}

// called returns the number of calls up to now.
func (s *sink) called() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls
}

func (s *sink) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: adviserName, Kind: plugin.KindHistorySink, FailurePolicy: s.policy}, name == adviserName
}

// Store keeps one record for each key, and requires that a repeated record is equal.
func (s *sink) Store(_ context.Context, _ string, records []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	if late := s.late; late != nil {
		s.late = nil
		s.held++
		s.mu.Unlock()
		<-late
		s.mu.Lock()
		s.held--
	}
	if s.broken {
		return nil, pluginhost.Source{}, errors.New("the disk is full")
	}
	keys := map[string]bool{}
	for _, r := range records {
		keys[r.GetKey()] = true
		if before := s.stored[r.GetKey()]; before != nil {
			if r.GetTaskAttempt() != nil {
				s.repeated++
			}
			if was, is := lasting(before), lasting(r); was != is {
				s.t.Errorf("%s was\n%s\nand is\n%s", r.GetKey(), was, is)
			}
			continue
		}
		s.stored[r.GetKey()] = r
	}
	return keys, adviserSource, nil
}

func (s *sink) setBroken(broken bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = broken
}

// holdNext makes the next call wait until the channel is closed.
func (s *sink) holdNext() (late chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.late = make(chan struct{})
	return s.late
}

func (s *sink) holds() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held > 0
}

// lasting renders the part of a record that survives restarts. The process loses the facts that only the Pod had.
func lasting(r *pluginpb.Record) string {
	r = proto.CloneOf(r)
	if a := r.GetTaskAttempt(); a != nil {
		a.PodCreated, a.Scheduled, a.Initialized, a.ContainersEnded, a.Containers, a.Requests, a.DeletionCause, a.ObjectDigest = nil, nil, nil, nil, nil, nil, "", ""
	}
	if v := r.GetVerdict(); v != nil {
		q := v.Question
		v.Question = &pluginpb.FailedPod{Uid: q.GetUid(), Framework: q.GetFramework(), TaskRole: q.GetTaskRole(), TaskIndex: q.GetTaskIndex(), TaskAttemptId: q.GetTaskAttemptId(),
			Name: q.GetName(), Node: q.GetNode(), Earlier: q.GetEarlier()}
		v.QuestionDigest, v.Answer, v.DurationSeconds = "", nil, 0
	}
	r.ResourceVersion = ""
	if r.GetPresence() != nil {
		r.Time = nil // two controllers may list the same version
	}
	if r.GetShadowVerdict() != nil {
		r.Time = nil // two controllers may ask about the same Pod
	}
	if o := r.GetObject(); o != nil {
		r.Time, r.Framework.AttemptId = nil, 0 // it is the same in several attempts
		if o.GetKind() == "Pod" {
			o.Name, o.Uid = "", "" // any of several equal objects
		}
	}
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// attempts lists the attempts that are stored, without times and UIDs, in order.
func (s *sink) attempts() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.stored {
		of := r.GetFramework().GetAttemptId()
		switch c := r.GetContent().(type) {
		case *pluginpb.Record_TaskAttempt:
			a := c.TaskAttempt
			lines = append(lines, fmt.Sprintf("archived %s-%d attempt %d in attempt %d: %d %s, %s", a.GetTaskRole(), a.GetTaskIndex(), a.GetTaskAttemptId(), of,
				a.GetCompletion().GetCode(), a.GetCompletion().GetPhrase(), follows(a.GetRetry())))
		case *pluginpb.Record_FrameworkAttempt:
			a := c.FrameworkAttempt
			lines = append(lines, fmt.Sprintf("archived attempt %d: %d %s, %s", of, a.GetCompletion().GetCode(), a.GetCompletion().GetPhrase(), follows(a.GetRetry())))
		case *pluginpb.Record_Verdict:
			q := c.Verdict.GetQuestion()
			lines = append(lines, fmt.Sprintf("archived %s-%d attempt %d in attempt %d judged: %d", q.GetTaskRole(), q.GetTaskIndex(), q.GetTaskAttemptId(), of, c.Verdict.GetDecision().GetCode()))
		case *pluginpb.Record_FrameworkRecord:
			if state := c.FrameworkRecord.GetState(); state == "Completed" {
				lines = append(lines, "archived as "+state)
			}
		}
	}
	slices.Sort(lines)
	return lines
}

func follows(r *pluginpb.Retry) string {
	if r.GetFollows() {
		return strings.TrimSpace("retried " + r.GetRow())
	}
	return strings.TrimSpace("last " + r.GetRow())
}
