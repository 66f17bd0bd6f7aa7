package checker

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Remembered is everything that a history server has about one cluster.
type Remembered struct {
	Frameworks []historyapi.FrameworkDetail
	// Tasks and Verdicts are of all Frameworks.
	Tasks    []historyapi.TaskAttempt
	Verdicts []historyapi.Verdict
	// Shadows are the verdicts in shadow, of all Frameworks. None of them must exist: a controller that ends before it has sent one does not
	// ask again.
	Shadows []historyapi.ShadowVerdict
}

// Comparison is how much of the history was compared with the cluster, and how it differs.
type Comparison struct {
	Wrong []string
	// Looked is the number of attempts and verdicts that must exist.
	Looked int
	// Shadows is the number of verdicts in shadow on attempts that were seen.
	Shadows int
	// Undecided are rows whose attempt was not seen, which may be due to a gap.
	Undecided int
}

// past is an attempt that was seen to have ended.
type past struct {
	code int32
	// Its state shows that it is over, so that a controller may drop it, and the history must have it.
	over bool
	// It ended by the failure of a Pod, whose exit code, or a rule, gave the code.
	judged bool
	// Nothing waits for its record: it was dropped by a stop, or its Framework was deleted before it was dropped.
	unwaited bool
}

// isVerdict reports whether a code is of a container or a rule, and so from a verdict on a Pod. Rules may have codes up to -1000, too.
func isVerdict(code int32) bool { return code > 0 || code <= -1000 }

// isJudged reports whether the failure of its Pod has ended the attempt of a Task, so that there is a verdict on it. The original stored no facts
// about the Pod.
func isJudged(t *v1.TaskStatus) bool {
	how := t.AttemptStatus.CompletionStatus
	return how != nil && isVerdict(how.Code) && how.Pod != nil && t.AttemptStatus.PodUID != nil
}

// Check compares the history with the observations of the cluster, which must be settled. Each attempt that was over is there exactly once,
// as it was stored, and so is the verdict on each failed Pod; nothing else is there. A Framework that was deleted before it had ended may
// lack attempts, because no controller need have seen it. If a controller was killed in between, the same holds for every attempt whose
// record nothing waits for.
func (m Remembered) Check(h History, killed bool) Comparison {
	c := &memory{pasts: map[string]past{}, begun: map[string]bool{}, there: map[string]row{}, lives: map[types.UID]*lifetime{}}
	for _, s := range inOrder(h.Observations) {
		if s.Framework != nil && s.Framework.Status != nil {
			c.see(s)
		}
	}
	for _, d := range m.Frameworks {
		for _, a := range d.Attempts {
			c.find("attempt", d.Framework.UID, wholeKey(d.Framework.UID, a.ID), a.Completion.Code)
		}
	}
	for _, t := range m.Tasks {
		c.find("attempt", t.FrameworkUID, attemptOfRow(t), t.Completion.Code)
	}
	for _, v := range m.Verdicts {
		c.find("verdict", v.FrameworkUID, taskKey(v.FrameworkUID, v.FrameworkAttempt, v.Role, v.Index, v.TaskUID, v.Attempt), v.Decision.Code)
	}
	for key, p := range c.pasts {
		must := p.over && !(killed && p.unwaited)
		c.expect("attempt", key, p, must)
		if isVerdict(p.code) { // the original stored no facts about the Pod, and there is a verdict all the same
			c.expect("verdict", key, p, must && p.judged)
		}
	}
	for name, r := range c.there {
		if c.mayBeUnseen(h.Gaps, types.UID(r.framework)) {
			c.Undecided++
			continue
		}
		c.Wrong = append(c.Wrong, name+" is in the history, and was never seen")
	}
	c.checkShadows(m, h.Gaps)
	slices.Sort(c.Wrong)
	return c.Comparison
}

// memory compares the observations with the history.
type memory struct {
	Comparison
	pasts map[string]past // by identity
	begun map[string]bool // attempts of Tasks
	there map[string]row  // by kind and identity
	lives map[types.UID]*lifetime
}

// row is an attempt or a verdict in the history.
type row struct {
	framework string // its UID
	times     int
	code      int32
}

// lifetime has the observed versions of a Framework.
type lifetime struct {
	first, last uint64          // versions
	present     map[string]bool // the attempts in its status that have ended
}

func wholeKey(framework string, attempt int32) string {
	return fmt.Sprintf("%s/%d", framework, attempt)
}

func taskKey(framework string, attempt int32, role string, index int32, task string, taskAttempt int32) string {
	return fmt.Sprintf("%s/%d %s-%d %s/%d", framework, attempt, role, index, task, taskAttempt)
}

func (c *memory) see(s Observation) {
	f, present := s.Framework, map[string]bool{}
	a := &f.Status.AttemptStatus
	if how := a.CompletionStatus; how != nil && a.CompletionTime != nil {
		key := wholeKey(string(f.UID), a.ID)
		present[key] = true
		c.pasts[key] = past{code: how.Code, over: ended(f.Status.State)}
	}
	for at, t := range newFramework(f).tasks {
		how := t.AttemptStatus.CompletionStatus
		key := taskKey(string(f.UID), a.ID, at.role, at.index, t.InstanceUID, t.AttemptStatus.ID)
		c.begun[key] = true
		if how == nil || t.AttemptStatus.CompletionTime == nil {
			continue
		}
		present[key] = true
		c.pasts[key] = past{
			code: how.Code,
			// A completed Task is sent with its attempt, whose end may not have been seen by a controller.
			over:   t.State == v1.AttemptCompleted && f.DeletionTimestamp == nil || ended(f.Status.State) && ended(t.State) || c.pasts[key].over,
			judged: isJudged(t),
		}
	}
	l := c.lives[f.UID]
	if l == nil {
		l = &lifetime{first: s.Version}
		c.lives[f.UID] = l
	}
	stopped := f.Spec.ExecutionType == v1.ExecutionStop
	for key := range l.present {
		if !present[key] && stopped {
			c.excuse(key)
		}
	}
	if s.Gone {
		for key := range present {
			c.excuse(key)
		}
	}
	l.last, l.present = s.Version, present
}

func (c *memory) excuse(key string) {
	p := c.pasts[key]
	p.unwaited = true
	c.pasts[key] = p
}

// mayBeUnseen reports whether versions of the Framework are missing.
func (c *memory) mayBeUnseen(gaps []Gap, framework types.UID) bool {
	l := c.lives[framework]
	return slices.ContainsFunc(gaps, func(g Gap) bool { return l == nil || l.first <= g.To && g.From <= l.last })
}

func (c *memory) find(what, framework, key string, code int32) {
	name := what + " " + key
	c.there[name] = row{framework: framework, times: c.there[name].times + 1, code: code}
}

func (c *memory) expect(what, key string, is past, must bool) {
	name := what + " " + key
	r := c.there[name]
	delete(c.there, name)
	if must {
		c.Looked++
	}
	switch {
	case r.times == 0 && must:
		c.Wrong = append(c.Wrong, fmt.Sprintf("%s has ended with %d, and is not in the history", name, is.code))
	case r.times > 1:
		c.Wrong = append(c.Wrong, fmt.Sprintf("%s is in the history %d times", name, r.times))
	case r.times == 1 && r.code != is.code:
		c.Wrong = append(c.Wrong, fmt.Sprintf("%s has ended with %d, and with %d in the history", name, is.code, r.code))
	}
}
