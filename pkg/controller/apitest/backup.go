package apitest

// Backup returns what takes the storage back to what it holds now, as if the server had been stopped meanwhile: versions are given
// out again, watches end, and may begin at versions that are yet to come. Requests so far are forgotten, as they belong to what is
// no longer there.
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
