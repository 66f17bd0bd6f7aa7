package controller

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// server looks after the API server: whether it answers, and whether it serves what the controller needs.
type server struct {
	clients *Clients
	crd     CRDOptions
	every   time.Duration // to look; 0 means never
	working func() bool   // whether Frameworks are being run, which is when the CRD is not somebody else's
	clock   func() time.Time
	log     hclog.Logger

	contact contact
	kept    atomic.Bool // somebody keeps the contact
	absence absence     // known to whoever keeps the contact only
}

func newServer(clients *Clients, o Options, working func() bool) *server {
	return &server{
		clients: clients, crd: o.CRD, every: o.ContactEvery, clock: time.Now, log: o.Log,
		working: working,
	}
}

// install puts our CRD in the place of whatever is there.
func (s *server) install(ctx context.Context) error { return InstallCRD(ctx, s.clients, s.crd) }

// keepContact looks after the API server every now and then, until ctx ends. A controller that has stood by does already.
func (s *server) keepContact(ctx context.Context) {
	every := s.every
	if every <= 0 || !s.kept.CompareAndSwap(false, true) {
		return
	}
	s.contact.note(s.clock(), unknown, nil) // it has just installed the CRD, or need not know yet
	tick := time.NewTicker(min(every, lookAgain))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if s.contact.due(s.clock(), every) {
				s.lookAfter(ctx)
			}
		}
	}
}

// lookAfter finds out what the API server serves. A subresource that is missing is installed again here too, not
// only when a status write finds that out: a controller that has nothing to write would stay not ready. It has to be
// missing twice, since an API server may tell of a CRD that was just installed a moment late.
func (s *server) lookAfter(ctx context.Context) {
	asked := s.clock()
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	serves, err := s.clients.serves(within)
	if ctx.Err() != nil {
		return
	}
	before := s.contact.missing(statusServed)
	s.contact.note(asked, serves, err)
	s.absence.note(asked, err, s.log)
	if serves == frameworksServed && before != nil && s.working() {
		s.installAgain(ctx)
	}
}

// installAgain puts our CRD back in the place of another one, which has no status subresource (decisions, W1).
func (s *server) installAgain(ctx context.Context) {
	s.log.Error("frameworks have no status subresource any more: another controller has replaced the CRD; " +
		"installing it again")
	if err := s.install(ctx); err != nil {
		s.log.Error("installing the CRD", "error", err)
	}
}

// noteNoSubresource is told of a status write that found no subresource, and puts our CRD back.
func (s *server) noteNoSubresource(ctx context.Context) {
	s.contact.lose(s.clock())
	s.installAgain(ctx)
}
