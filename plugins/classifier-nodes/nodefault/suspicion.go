package nodefault

import (
	"sync"
	"time"
)

// Limits of the remembered failures. A namespace has its own share, from which its oldest failures are dropped first, so that no namespace
// can displace the failures of others.
const (
	maxNamespaces = 200
	namespaceMost = 128
)

// failure is a failure in a question.
type failure struct {
	framework string // namespace and UID
	node      string
	symptom   string
	pod       string // UID
	at        time.Time
}

// suspicions are the recent failures by namespace. It is safe for concurrent use.
type suspicions struct {
	mu     sync.Mutex
	shares map[string]*share
}

type share struct {
	failures []failure // the oldest first
	latest   time.Time
}

// note records a failure once.
func (s *suspicions) note(namespace string, f failure) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.shareOf(namespace)
	for _, known := range own.failures {
		if known.pod == f.pod {
			return
		}
	}
	if len(own.failures) == namespaceMost {
		own.failures = append(own.failures[:0], own.failures[1:]...)
	}
	own.failures = append(own.failures, f)
	if f.at.After(own.latest) {
		own.latest = f.at
	}
}

func (s *suspicions) shareOf(namespace string) *share {
	if s.shares == nil {
		s.shares = map[string]*share{}
	}
	if s.shares[namespace] == nil {
		if len(s.shares) == maxNamespaces {
			s.forgetOne()
		}
		s.shares[namespace] = &share{}
	}
	return s.shares[namespace]
}

// forgetOne drops the namespace whose last failure is the oldest.
func (s *suspicions) forgetOne() {
	oldest, found := "", false
	for namespace, share := range s.shares {
		if !found || share.latest.Before(s.shares[oldest].latest) || share.latest.Equal(s.shares[oldest].latest) && namespace < oldest {
			oldest, found = namespace, true
		}
	}
	delete(s.shares, oldest)
}

// onNode has the Frameworks and namespaces that failed on one node.
type onNode struct{ frameworks, namespaces map[string]bool }

// suspects reports whether a failure is one of several on its node, and returns the number of Frameworks that failed
// there like this. A Framework that failed with that symptom on several nodes does not count: the fault is its own.
func (s *suspicions) suspects(spec suspicionSpec, f failure) (frameworks int, suspected bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	within := time.Duration(spec.WithinSec) * time.Second
	nodesOf := map[string]map[string]bool{}
	s.each(f, within, func(_ string, o failure) { add(nodesOf, o.framework, o.node) })
	byNode := map[string]*onNode{}
	s.each(f, within, func(namespace string, o failure) {
		if len(nodesOf[o.framework]) > 1 {
			return
		}
		if byNode[o.node] == nil {
			byNode[o.node] = &onNode{map[string]bool{}, map[string]bool{}}
		}
		byNode[o.node].frameworks[o.framework], byNode[o.node].namespaces[namespace] = true, true
	})
	nodes := 0
	for _, n := range byNode {
		if n.isSuspect(spec) {
			nodes++
		}
	}
	here := byNode[f.node]
	if here == nil || !here.isSuspect(spec) || nodes > spec.MaxNodes {
		return 0, false
	}
	return len(here.frameworks), true
}

func (n *onNode) isSuspect(spec suspicionSpec) bool {
	return len(n.frameworks) >= spec.Frameworks && len(n.namespaces) >= spec.Namespaces
}

// each visits the failures with the same symptom at about the same time.
func (s *suspicions) each(f failure, within time.Duration, visit func(namespace string, o failure)) {
	for namespace, share := range s.shares {
		for _, o := range share.failures {
			if apart := f.at.Sub(o.at).Abs(); o.symptom == f.symptom && apart <= within {
				visit(namespace, o)
			}
		}
	}
}

func add(sets map[string]map[string]bool, key, value string) {
	if sets[key] == nil {
		sets[key] = map[string]bool{}
	}
	sets[key][value] = true
}
