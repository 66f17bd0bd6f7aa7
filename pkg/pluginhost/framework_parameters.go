package pluginhost

import "context"

// FrameworkParameters returns the parameters of a plugin that Frameworks may set: the list in the configuration, or else
// the list that the plugin declares. Nil allows all, empty none; the slice must not be changed. Before the plugin has
// declared any, the call waits for it to start, as a question does. The error is a *Fault, or ctx's.
func (h *Host) FrameworkParameters(ctx context.Context, name string) ([]string, error) {
	c, known := h.Config(name)
	s := h.slot(name)
	if !known || s == nil {
		return nil, Config{Name: name}.fault(NotConfigured, "is not configured")
	}
	if c.FrameworkParameters != nil {
		return c.FrameworkParameters, nil
	}
	for {
		declared, known, fault, changed := s.declared()
		if known {
			return declared, nil
		}
		if fault != nil {
			return nil, fault
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, preferred(ctx, s.overdueFault("did not start in time"))
		}
	}
}

// declared returns the parameters that Frameworks may set, as declared by the process that was ready last. If no process was ready, it
// returns why none can be expected soon, or a channel to wait for.
func (s *slot) declared() (keys []string, known bool, fault *Fault, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.described != nil {
		return s.described.frameworkParameters, true, nil, nil
	}
	return nil, false, s.notSoonLocked(), s.changed
}
