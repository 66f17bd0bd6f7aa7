package lifecycletest

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// logs holds the questions to a sink that collects logs, in order, and the Pods for which it has answered.
type logs struct {
	asked     []lifecycle.CollectLogs
	collected map[lifecycle.TaskRef]types.UID
}

// ask reports whether the question is new.
func (l *logs) ask(question lifecycle.CollectLogs) bool {
	if slices.Contains(l.asked, question) {
		return false
	}
	l.asked = append(l.asked, question)
	return true
}

// logged: "logged": the sink answers the first question about logs; "logged all": all of them.
func (s *Story) logged(args []string, _ string) error {
	c := s.controller
	switch {
	case slices.Equal(args, []string{"all"}):
		c.collectAllLogs()
	case len(args) > 0:
		return fmt.Errorf("logged wants nothing or `all`")
	case len(c.questions.logs.asked) > 0:
		c.collectNextLogs()
	}
	return nil
}

func (c *controller) collectAllLogs() {
	for len(c.questions.logs.asked) > 0 {
		c.collectNextLogs()
	}
}

// collectNextLogs answers one question, and triggers a look at its Task.
func (c *controller) collectNextLogs() {
	l := &c.questions.logs
	q := l.asked[0]
	l.asked = l.asked[1:]
	collected := maps.Clone(l.collected) // a Step may hold the old one
	if collected == nil {
		collected = map[lifecycle.TaskRef]types.UID{}
	}
	collected[q.Task] = q.UID
	l.collected = collected
	c.dirty[q.Task] = true
}
