package server

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/eventstream"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

// pace is how often a stream of changes does something.
type pace struct {
	// gap is the least time between two events.
	gap time.Duration
	// heartbeat is the pause between comments, and reviews the time between two reviews of the sender.
	heartbeat, reviews time.Duration
}

// Two caches keep the answers of the API server, so that a right which is taken away ends a stream within two reviews.
var usualPace = pace{gap: time.Second, heartbeat: eventstream.Heartbeat, reviews: cacheTime}

// changes sends an event each time that rows were stored, until the Framework is over or the sender may no longer read.
func (s *Server) changes(w http.ResponseWriter, r *http.Request, v values) error {
	of := store.Watched{Namespace: v.Get("namespace"), Name: v.Get("name"), UID: v.Get("uid")}
	switch {
	case of.Name != "" && of.Namespace == "":
		return problem(http.StatusBadRequest, "parameter name: it needs the parameter namespace")
	case of.UID != "" && of.Name == "":
		return problem(http.StatusBadRequest, "parameter uid: it needs the parameter name")
	}
	if err := s.mayRead(r, of.Namespace); err != nil {
		return err
	}
	user, err := s.reader(r)
	if err != nil {
		return err
	}
	leave, err := s.streams.enter(user)
	if err != nil {
		return err
	}
	defer leave()
	stored, stop := s.store.Watch(of) // before the first look, so that nothing falls between
	defer stop()
	state, err := s.endOf(r.Context(), of)
	switch {
	case err != nil:
		return queryError(err)
	case state != "":
		w.WriteHeader(http.StatusNoContent) // an EventSource does not connect again
		return nil
	}
	c := &changing{Server: s, of: of, r: r, out: eventstream.Begin(w)}
	if done, err := c.changed(); done || err != nil {
		return nil // it has begun, so that no error can be answered
	}
	c.run(stored)
	return nil
}

// endOf returns the state of a Framework that is over; empty if it is not, or if no single Framework is watched.
func (s *Server) endOf(ctx context.Context, of store.Watched) (state string, err error) {
	if of.Name == "" {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	return s.store.EndOf(ctx, of)
}

// changing is a stream of changes.
type changing struct {
	*Server
	of  store.Watched
	r   *http.Request
	out *eventstream.Stream
}

// run returns when the stream has ended, or its client has gone.
func (c *changing) run(stored <-chan struct{}) {
	heartbeat, review := time.NewTicker(c.pace.heartbeat), time.NewTicker(c.pace.reviews)
	defer heartbeat.Stop()
	defer review.Stop()
	last := time.Now()
	var due <-chan time.Time // fires when an event that is held back is due
	for {
		var done bool
		var err error
		select {
		case <-c.r.Context().Done():
			return
		case <-c.streams.ended:
			return
		case <-stored:
			if due == nil {
				due = time.After(c.pace.gap - time.Since(last))
			}
		case <-due:
			due, last = nil, time.Now()
			done, err = c.changed()
		case <-heartbeat.C:
			if c.store.Shared() { // rows that other servers store cause no notification
				done, err = c.changed()
			} else {
				err = c.out.Beat()
			}
		case <-review.C:
			done = c.refused()
		}
		if done || err != nil {
			return
		}
	}
}

// changed sends an event, and another one if the Framework is over.
func (c *changing) changed() (done bool, err error) {
	now := c.now().UTC()
	if err := c.out.Send(string(historyapi.RowsChanged), historyapi.Change{Time: now}); err != nil {
		return true, err
	}
	state, err := c.endOf(c.r.Context(), c.of)
	if err != nil || state == "" {
		return false, nil // the next event looks again
	}
	return true, c.out.Send(string(historyapi.FrameworkEnded), historyapi.Change{Time: now, State: state})
}

// refused asks again whether the sender may read. Without a review, it may not.
func (c *changing) refused() bool {
	ctx, cancel := context.WithTimeout(c.r.Context(), queryTimeout)
	defer cancel()
	err := c.mayRead(c.r.WithContext(ctx), c.of.Namespace)
	if err == nil {
		return false
	}
	f := failure{http.StatusServiceUnavailable, "your permission to read cannot be reviewed at the moment: try again"}
	if !errors.As(err, &f) {
		c.log.Warn("reviewing the reader of a stream", "error", err)
	}
	_ = c.out.Send(string(historyapi.ReadingRefused), historyapi.Error{Status: f.status, Message: f.message}) // it ends in any case
	return true
}

// The streams at the same time: of all users, so that their memory is limited, and of one, so that others get some.
const (
	mostStreams       = 1000
	mostStreamsOfUser = 100
)

// streams counts the streams under way.
type streams struct {
	mutex  sync.Mutex
	all    int
	byUser map[string]int
	// most of all, and of a user.
	most, mostOfUser int
	// ended is closed when the server stops.
	ended chan struct{}
	end   sync.Once
}

func newStreams(most, mostOfUser int) *streams {
	return &streams{byUser: map[string]int{}, most: most, mostOfUser: mostOfUser, ended: make(chan struct{})}
}

// enter counts a stream of a user, until it leaves.
func (s *streams) enter(user string) (leave func(), err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch {
	case s.all >= s.most:
		return nil, problem(http.StatusTooManyRequests, "%d streams of changes are open, which is the most: read from time to time instead", s.all)
	case user != "" && s.byUser[user] >= s.mostOfUser:
		return nil, problem(http.StatusTooManyRequests, "user %q has %d streams of changes open, which is the most: close some", user, s.byUser[user])
	}
	s.all++
	s.byUser[user]++
	return func() {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.all--
		if s.byUser[user]--; s.byUser[user] == 0 {
			delete(s.byUser, user)
		}
	}, nil
}

func (s *streams) count() int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.all
}

// EndStreams ends the streams of changes, for good: a server that shuts down would wait for them.
func (s *Server) EndStreams() { s.streams.end.Do(func() { close(s.streams.ended) }) }
