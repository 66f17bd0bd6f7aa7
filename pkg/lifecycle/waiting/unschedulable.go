package waiting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// following are scheduler messages about a Pod that merely follows others of its gang. They do not explain why the gang does not
// fit.
var following = []string{
	"optimistic rejection",                   // kube-scheduler, about a Pod that it has not tried
	"rejection in Unreserve",                 // the same, about a Pod that had a node when another one lost its own
	"rejected due to timeout after waiting ", // the same, about a Pod that had a node, and has waited there for the others
	"cannot find enough sibling pods",        // coscheduling, about a Pod that it tried before it had seen the others
	"once resource is released",              // Volcano, about a Pod that would fit if the others did
}

func follows(words string) bool {
	return slices.ContainsFunc(following, func(f string) bool { return strings.Contains(words, f) })
}

// unschedulable is the fact about the Task whose Pod's message explains why no node was found. The stored fact stays while only the
// words differ. The message of a Pod that merely follows others gives way to one with the explanation, so another look is scheduled:
// the next attempts may produce it, without any other change.
func (l *look) unschedulable(late []Task) Fact {
	f, kept := l.storedAmong(late)
	if !kept {
		who := l.mostExplained(late)
		f = l.about(who, l.Tasks.Stall(who), len(late)-1)
	}
	if follows(f.Words) {
		l.by(l.Now.Add(StartPatience))
	}
	return f
}

// storedAmong returns the stored fact, if it is about one of these Tasks, and still the one to report.
func (l *look) storedAmong(late []Task) (f Fact, ok bool) {
	if l.Stored == nil || l.Stored.Index == nil {
		return Fact{}, false
	}
	who := Task{l.Stored.Role, *l.Stored.Index}
	if _, found := slices.BinarySearchFunc(late, who, Task.compare); !found {
		return Fact{}, false
	}
	if f = l.about(who, l.Tasks.Stall(who), len(late)-1); !f.isAbout(l.Stored) {
		return Fact{}, false
	}
	f.Words = l.Stored.Message
	return f, f.Words != "" && (!follows(f.Words) || !slices.ContainsFunc(late, l.explainsItself))
}

// explainsItself reports whether the message about a Task's Pod may contain the reason.
func (l *look) explainsItself(task Task) bool { return !follows(l.Tasks.Stall(task).Words) }

// maxExplanations bounds how many different texts are compared, as each may be 400 bytes long.
const maxExplanations = 1000

// explanation groups the Pods with the same message, possibly worded differently.
type explanation struct {
	first  Task // in the order of roles and indices
	pods   int  // number of Pods with it
	latest time.Time
}

// mostExplained returns the Task to report if no node was found for the Pods of several. A scheduler explains the Pods that it
// has tried, and describes the others as following: the most frequent explanation is chosen, and among equally frequent ones the
// latest, which is about the latest attempt.
func (l *look) mostExplained(late []Task) Task {
	candidates := slices.DeleteFunc(slices.Clone(late), func(task Task) bool { return !l.explainsItself(task) })
	if len(candidates) == 0 {
		candidates = late
	}
	best := slices.MinFunc(l.explanations(candidates), func(a, b *explanation) int { // the first of equal ones
		return cmp.Or(cmp.Compare(b.pods, a.pods), b.latest.Compare(a.latest))
	})
	return best.first
}

// explanations groups the messages of Pods by meaning, in order of appearance.
func (l *look) explanations(tasks []Task) (all []*explanation) {
	byWords, byMeaning := map[string]*explanation{}, map[string]*explanation{}
	for _, task := range tasks {
		stall := l.Tasks.Stall(task)
		v := byWords[stall.Words]
		if v == nil {
			if len(byWords) == maxExplanations {
				continue
			}
			meaning := l.meaning(stall.Words)
			if v = byMeaning[meaning]; v == nil {
				v = &explanation{first: task}
				byMeaning[meaning] = v
				all = append(all, v)
			}
			byWords[stall.Words] = v
		}
		v.pods++
		if stall.Since.After(v.latest) {
			v.latest = stall.Since
		}
	}
	return all
}

// meaning is a text without its fleeting words and without the names of the Framework's Pods.
func (l *look) meaning(text string) string {
	return word.ReplaceAllStringFunc(lasting(text), func(w string) string {
		if _, _, ok := v1.ParsePodName(l.Framework, strings.TrimRight(w, ".")); ok {
			return "Pod"
		}
		return w
	})
}
