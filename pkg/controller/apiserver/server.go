package apiserver

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// ServerOptions configure a Server.
type ServerOptions struct {
	CRD CRDOptions
	// Every is the interval of checks; 0 means no checks.
	Every time.Duration
	// Working reports whether Frameworks are being run, so that the CRD is ours to manage.
	Working func() bool
	Log     hclog.Logger
}

// Server monitors the API server: whether it answers, serves the resources that the controller needs, and still has all its
// data.
type Server struct {
	clients *Clients
	options ServerOptions
	clock   func() time.Time

	contact  contact
	versions *versions
	kept     atomic.Bool // KeepContact is running
	absence  absence     // accessed only by KeepContact
}

// NewServer returns a Server that knows nothing yet.
func NewServer(clients *Clients, o ServerOptions) *Server {
	o.CRD.log = o.Log
	return &Server{clients: clients, options: o, clock: time.Now, versions: newVersions()}
}

// Install replaces any existing CRD with ours.
func (s *Server) Install(ctx context.Context) error { return InstallCRD(ctx, s.clients, s.options.CRD) }

// KeepContact checks the API server regularly until ctx ends. After a standby it is running already.
func (s *Server) KeepContact(ctx context.Context) {
	every := s.options.Every
	if every <= 0 || !s.kept.CompareAndSwap(false, true) {
		return
	}
	s.contact.note(s.clock(), unknown, nil) // the CRD was just installed, or is not needed yet
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

// lookAfter finds out what the API server serves. It also reinstalls a missing subresource, not only when a status write finds
// that out: a controller without writes would stay not ready. The subresource has to be missing twice, since an API server may
// report a new CRD a moment late.
func (s *Server) lookAfter(ctx context.Context) {
	asked := s.clock()
	within, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	serves, err := s.clients.serves(within)
	if ctx.Err() != nil {
		return
	}
	before := s.contact.missing(statusServed)
	s.contact.note(asked, serves, err)
	s.absence.note(asked, err, s.options.Log)
	if err != nil {
		s.versions.lookSoon() // a storage is restored while the API server is away
	} else {
		s.lookAtVersions(ctx)
	}
	if serves == frameworksServed && before != nil && s.options.Working() {
		s.installAgain(ctx)
	}
}

// installAgain replaces another CRD, which has no status subresource, with ours (decisions, W1).
func (s *Server) installAgain(ctx context.Context) {
	s.options.Log.Error("frameworks have lost their status subresource: another controller has replaced the CRD; " +
		"installing it again")
	if err := s.Install(ctx); err != nil {
		s.options.Log.Error("installing the CRD", "error", err)
	}
}

// NoteNoSubresource records that a status write found no subresource, and reinstalls our CRD.
func (s *Server) NoteNoSubresource(ctx context.Context) {
	s.contact.lose(s.clock())
	s.installAgain(ctx)
}

// NoteSubresource records that a status write has found the subresource.
func (s *Server) NoteSubresource(began time.Time) { s.contact.find(began) }

// Silent returns an error if the API server has not answered for too long; nil if it has.
func (s *Server) Silent(now time.Time) error { return s.contact.silence(now) }

// MissingFrameworks returns an error if Frameworks are not served; nil if they are, or if that is not known.
func (s *Server) MissingFrameworks() error { return s.contact.missing(frameworksServed) }

// MissingStatus returns an error if Frameworks have no status subresource; nil if they have, or if that is not known.
func (s *Server) MissingStatus() error { return s.contact.missing(statusServed) }

// SteadySince reports whether the API server was asked after t, and has answered each time.
func (s *Server) SteadySince(t time.Time) bool { return s.contact.steadySince(t) }
