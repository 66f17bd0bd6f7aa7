package controller

import (
	"net/http"
	"slices"
	"strconv"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// closes reports whether the records show that a Framework is gone: it was there at an earlier version than a list that lacks it.
func (s *sink) closes(uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	var was int
	for _, r := range s.stored {
		if r.GetFramework().GetUid() == uid {
			was, _ = strconv.Atoi(r.GetResourceVersion())
		}
	}
	return slices.ContainsFunc(s.presencesLocked(), func(p *pluginpb.PresenceRecord) bool {
		version, _ := strconv.Atoi(p.GetResourceVersion())
		covered := p.GetFrom() <= uid && (p.GetUntil() == "" || uid < p.GetUntil())
		return was > 0 && version > was && covered && !slices.Contains(p.GetUids(), uid)
	})
}

func (s *sink) presencesLocked() (all []*pluginpb.PresenceRecord) {
	for _, r := range s.stored {
		if p := r.GetPresence(); p != nil {
			all = append(all, p)
		}
	}
	return all
}

// lists returns the number of lists that are stored.
func (s *sink) lists() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.presencesLocked())
}

// A Framework that is deleted while no controller runs is missing in the next controller's first list. The others are present.
func TestDeletionThatNoControllerSaw(t *testing.T) {
	inBubble(t, func(w *world) {
		s := newSink(w.t)
		w.startWith(s)
		w.create("gone")
		w.create("stays")
		w.eventually("both are in the history", func() bool { return len(s.states("AttemptCreationPending")) == 2 && s.lists() == 1 })
		gone, stays := string(w.uidOf(apitest.Frameworks, "gone")), string(w.uidOf(apitest.Frameworks, "stays"))
		w.stop()
		w.Delete(apitest.Frameworks, "gone")
		w.create("new")
		w.start()
		w.eventually("the history can tell", func() bool { return s.closes(gone) })
		w.eventually("the new one is in the history", func() bool { return len(s.states("AttemptCreationPending")) == 3 })
		if s.closes(stays) || s.closes(string(w.uidOf(apitest.Frameworks, "new"))) || len(s.states("Deleted")) > 0 {
			t.Error("a Framework that is there is missing in a list, or a deletion was seen")
		}
	})
}

// A Framework that vanishes after the list, before this controller has read it, is missing in another list soon after.
func TestDeletionBeforeTheFirstRead(t *testing.T) {
	inBubble(t, func(w *world) {
		s := newSink(w.t)
		w.startWith(s)
		w.create("a")
		w.eventually("it is in the history", func() bool { return len(s.states("AttemptCreationPending")) == 1 })
		uid := string(w.uidOf(apitest.Frameworks, "a"))
		w.stop()
		before := s.lists()
		w.Inject("get frameworks a", apitest.Always, apitest.Refuse(http.StatusServiceUnavailable, metav1.StatusReasonServiceUnavailable, "busy"))
		w.start()
		w.eventually("a list", func() bool { return s.lists() > before })
		w.Delete(apitest.Frameworks, "a")
		w.eventually("another list", func() bool { return s.closes(uid) })
	})
}

// A list that the sink has not stored, or that the API server has refused, is repeated.
func TestListIsMadeAgain(t *testing.T) {
	for name, policy := range map[string]pluginhost.FailurePolicy{"waits": pluginhost.Wait, "drops": pluginhost.Drop} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				s := newSink(w.t)
				s.policy = policy
				s.setBroken(true)
				w.Inject("list frameworks", 1, apitest.Refuse(http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests, "busy"))
				w.startWith(s)
				w.eventually("the sink has failed", func() bool { return s.called() > 0 })
				s.setBroken(false)
				w.eventually("a list", func() bool { return s.lists() > 0 })
			})
		})
	}
}

// Without a sink, the controller sends no list requests besides the watch's.
func TestNoListWithoutSink(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.running("a")
		for _, q := range w.Requests("list frameworks") {
			if q.Version == "" {
				t.Errorf("a list of the newest version: %+v", q)
			}
		}
	})
}
