package apiserver

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-hclog"
)

// ServerOptions say how a Server is looked after.
type ServerOptions struct {
	CRD CRDOptions
	// Every is how often to look; 0 means never.
	Every time.Duration
	// Working reports whether Frameworks are being run, which is when the CRD is not somebody else's.
	Working func() bool
	Log     hclog.Logger
}

// Server looks after the API server: whether it answers, whether it serves what the controller needs, and whether it still has what
// it had.
type Server struct {
	clients *Clients
	options ServerOptions
	clock   func() time.Time

	contact  contact
	versions *versions
	kept     atomic.Bool // somebody keeps the contact
	absence  absence     // known to whoever keeps the contact only
}

// NewServer returns one that nothing is known of yet.
func NewServer(clients *Clients, o ServerOptions) *Server {
	o.CRD.log = o.Log
	return &Server{clients: clients, options: o, clock: time.Now, versions: newVersions()}
}

// Install puts our CRD in the place of whatever is there.
func (s *Server) Install(ctx context.Context) error { return InstallCRD(ctx, s.clients, s.options.CRD) }

// KeepContact looks after the API server every now and then, until ctx ends. A controller that has stood by does already.
func (s *Server) KeepContact(ctx context.Context) {
	every := s.options.Every
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

// installAgain puts our CRD back in the place of another one, which has no status subresource (decisions, W1).
func (s *Server) installAgain(ctx context.Context) {
	s.options.Log.Error("frameworks have no status subresource any more: another controller has replaced the CRD; " +
		"installing it again")
	if err := s.Install(ctx); err != nil {
		s.options.Log.Error("installing the CRD", "error", err)
	}
}

// NoteNoSubresource is told of a status write that found no subresource, and puts our CRD back.
func (s *Server) NoteNoSubresource(ctx context.Context) {
	s.contact.lose(s.clock())
	s.installAgain(ctx)
}

// NoteSubresource is told of a status write that has found the subresource.
func (s *Server) NoteSubresource(began time.Time) { s.contact.find(began) }

// Silent says that the API server has not answered for too long; nil if it has.
func (s *Server) Silent(now time.Time) error { return s.contact.silence(now) }

// MissingFrameworks says that Frameworks are not served; nil if they are, or that is not known.
func (s *Server) MissingFrameworks() error { return s.contact.missing(frameworksServed) }

// MissingStatus says that Frameworks have no status subresource; nil if they have, or that is not known.
func (s *Server) MissingStatus() error { return s.contact.missing(statusServed) }

// SteadySince reports whether the API server was asked after that time, and has answered each time.
func (s *Server) SteadySince(t time.Time) bool { return s.contact.steadySince(t) }
