package waiting

import (
	"cmp"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// following are words that schedulers have for a Pod that merely goes with others of its gang. They do not say why the gang
// does not fit.
var following = []string{
	"optimistic rejection",                   // kube-scheduler, of a Pod that it has not tried
	"rejection in Unreserve",                 // the same, of one that had a node when another one lost its own
	"rejected due to timeout after waiting ", // the same, of one that had a node, and has waited there for the others
	"cannot find enough sibling pods",        // coscheduling, of one that it has tried before it had seen the others
	"once resource is released",              // Volcano, of one that would fit if the others did
}

func follows(words string) bool {
	return slices.ContainsFunc(following, func(f string) bool { return strings.Contains(words, f) })
}

// unschedulable is about the Task whose Pod's words have the reason why no node was found. The stored one stays while nothing but
// words would be others now. Words about a Pod that merely follows others give way to those that have the reason, so it looks again:
// the next tries may give it, and that they do is no news.
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

// explainsItself reports whether the words about a Task's Pod may be those with the reason.
func (l *look) explainsItself(task Task) bool { return !follows(l.Tasks.Stall(task).Words) }

// maxExplanations bounds how many different texts are compared, as each may be 400 bytes long.
const maxExplanations = 1000

// explanation is what is said of some Pods, in other words perhaps.
type explanation struct {
	first  Task // in the order of roles and indices
	pods   int  // of which it is said
	latest time.Time
}

// mostExplained returns the Task whose Pod's words are reported if no node was found for several. A scheduler says why of those
// that it has tried, and of the others that they follow: what is said of most counts, and among equals what was said last, which
// is about the latest try.
func (l *look) mostExplained(late []Task) Task {
	candidates := slices.DeleteFunc(slices.Clone(late), func(task Task) bool { return !l.explainsItself(task) })
	if len(candidates) == 0 {
		candidates = late
	}
	best := slices.MinFunc(l.explanations(candidates), func(a, b *explanation) int { // the first of those that are equal
		return cmp.Or(cmp.Compare(b.pods, a.pods), b.latest.Compare(a.latest))
	})
	return best.first
}

// explanations sorts what is said of Pods by what it means, in the order in which they come.
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
