package apitest

// Backup returns a function that restores the current content of the storage, as if the server had been stopped meanwhile:
// versions are assigned again, watches end, and may begin at future versions. Requests so far are forgotten, as they belong to
// objects that no longer exist.
func (s *Server) Backup() (restore func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	version := s.store.version()
	return func() {
		s.BreakWatches()
		s.steer(func() {
			s.store.rewind(version)
			s.held, s.log = map[string]int64{}, nil
		})
	}
}

// rewind forgets the changes after a version.
func (s *store) rewind(version int64) {
	s.history = s.history[:version:version]
	clear(s.objects)
	for _, c := range s.history {
		if c.is != nil {
			s.objects[c.key] = c.is
		} else {
			delete(s.objects, c.key)
		}
	}
}
