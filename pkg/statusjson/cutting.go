package statusjson

import (
	"slices"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Cutting limits the length of messages, for a status that does not fit even when compressed. The longest messages are cut
// first, and among Tasks the messages of Tasks that completed long ago. The Framework's own messages are cut last. The limit
// only ever decreases, until the status has far fewer messages. The zero value cuts nothing.
type Cutting struct {
	on bool
	// most is the number of bytes of each message. With older, half of it applies to Tasks completed before old.
	most  int
	older bool
	old   time.Time
	// all: nothing is left of the Framework's own messages, either.
	all bool
	// of is the number of Tasks, and attempts, with an outcome, and so with messages, at the last further cut.
	of int
}

func (c Cutting) active() bool { return c.on }

// next cuts more than before; excess is the factor by which the status was too large. It returns false if nothing is left to
// cut.
func (c *Cutting) next(status *v1.FrameworkStatus, roles []Role, excess float64) bool {
	c.of = outcomes(status, roles)
	switch {
	case !c.on:
		c.on, c.most = true, max(longestOwn(status), longest(roles))
		c.lower(roles, excess)
	case c.older:
		c.older, c.most = false, c.most/2
	case c.most == 0 && c.all:
		return false
	case c.most == 0:
		c.all = true
	default:
		c.lower(roles, excess)
	}
	return true
}

// outgrown reports whether many of the messages are gone, with the attempt or with a rescale. Then the cutting may no longer
// be needed.
func (c Cutting) outgrown(status *v1.FrameworkStatus, roles []Role) bool {
	return c.on && 2*outcomes(status, roles) < c.of
}

func outcomes(status *v1.FrameworkStatus, roles []Role) int {
	n := 0
	if status.AttemptStatus.CompletionStatus != nil {
		n++
	}
	for _, r := range roles {
		for _, t := range r.Tasks {
			if t.AttemptStatus.CompletionStatus != nil {
				n++
			}
		}
	}
	return n
}

// lower halves the limit, for old Tasks first. If that cannot be enough, it lowers the limit further, and for all.
func (c *Cutting) lower(roles []Role, excess float64) {
	switch {
	case c.most < 16:
		c.most = 0
	case excess < 1.5:
		c.older, c.old = true, medianCompletion(roles)
	default:
		c.most = int(float64(c.most) / excess)
	}
}

// ApplyTo cuts the messages of a status. It replaces Tasks in the lists of its roles, which must not be shared, and does not
// change the Tasks themselves.
func (c Cutting) ApplyTo(status *v1.FrameworkStatus) {
	*status = *c.own(status)
	for _, role := range status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			role.TaskStatuses[i] = *c.apply(&role.TaskStatuses[i])
		}
	}
}

// apply returns the Task with its messages cut, or the Task itself if they are short enough.
func (c Cutting) apply(t *v1.TaskStatus) *v1.TaskStatus {
	if !c.on {
		return t
	}
	most := c.most
	if c.older && t.CompletionTime != nil && t.CompletionTime.Time.Before(c.old) {
		most /= 2
	}
	if longestIn(t) <= most {
		return t
	}
	short := *t
	if s := t.AttemptStatus.CompletionStatus; s != nil {
		cut := completion.Shorten(*s, most)
		short.AttemptStatus.CompletionStatus = &cut
	}
	short.EarlierAttempts = cutEarlier(t.EarlierAttempts, most)
	return &short
}

func longest(roles []Role) int {
	most := 0
	for _, r := range roles {
		for _, t := range r.Tasks {
			most = max(most, longestIn(t))
		}
	}
	return most
}

// longestIn returns the length of a Task's longest message.
func longestIn(t *v1.TaskStatus) int {
	most := longestEarlier(t.EarlierAttempts)
	if s := t.AttemptStatus.CompletionStatus; s != nil {
		most = max(most, longestOf(s))
	}
	return most
}

func longestOf(s *v1.TaskAttemptCompletionStatus) int {
	return max(longestText(&s.CompletionStatus), longestMessage(s))
}

// longestText ignores fields with few possible values.
func longestText(s *v1.CompletionStatus) int {
	most := max(len(s.Diagnostics), len(s.Phrase), len(s.Remedy))
	if s.Source != nil {
		most = max(most, len(s.Source.Plugin), len(s.Source.Version), len(s.Source.Rule))
	}
	return most
}

func longestMessage(s *v1.TaskAttemptCompletionStatus) int {
	if s.Pod == nil {
		return 0
	}
	most := max(len(s.Pod.Message), len(s.Pod.Reason))
	for _, c := range s.Pod.Containers {
		most = max(most, len(c.Message), len(c.Reason), len(c.Name))
	}
	return most
}

// medianCompletion returns the time by which half of the completed Tasks had completed; zero if none has.
func medianCompletion(roles []Role) time.Time {
	var times []time.Time
	for _, r := range roles {
		for _, t := range r.Tasks {
			if t.CompletionTime != nil {
				times = append(times, t.CompletionTime.Time)
			}
		}
	}
	if len(times) == 0 {
		return time.Time{}
	}
	slices.SortFunc(times, time.Time.Compare)
	return times[len(times)/2]
}
