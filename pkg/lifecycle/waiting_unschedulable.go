package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
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

// explainsItself reports whether the words about a Task's Pod may be those with the reason.
func (r *round) explainsItself(ref TaskRef) bool { return !follows(r.in.Observed.Stalls[ref].Words) }

// maxExplanations bounds how many different texts are compared, as each may be 400 bytes long.
const maxExplanations = 1000

// explanation is what is said of some Pods, in other words perhaps.
type explanation struct {
	first  TaskRef // in the order of roles and indices
	pods   int     // of which it is said
	latest time.Time
}

// mostExplained returns the Task whose Pod's words are told if no node was found for several. A scheduler says why of those
// that it has tried, and of the others that they follow: what is said of most counts, and among equals what was said last, which
// is about the latest try.
func (r *round) mostExplained(late []TaskRef) TaskRef {
	candidates := slices.DeleteFunc(slices.Clone(late), func(ref TaskRef) bool { return !r.explainsItself(ref) })
	if len(candidates) == 0 {
		candidates = late
	}
	best := slices.MinFunc(r.explanations(candidates), func(a, b *explanation) int { // the first of those that are equal
		return cmp.Or(cmp.Compare(b.pods, a.pods), b.latest.Compare(a.latest))
	})
	return best.first
}

// explanations sorts what is said of Pods by what it means, in the order in which they come.
func (r *round) explanations(refs []TaskRef) (all []*explanation) {
	byWords, byMeaning := map[string]*explanation{}, map[string]*explanation{}
	for _, ref := range refs {
		stall := r.in.Observed.Stalls[ref]
		v := byWords[stall.Words]
		if v == nil {
			if len(byWords) == maxExplanations {
				continue
			}
			meaning := r.meaning(stall.Words)
			if v = byMeaning[meaning]; v == nil {
				v = &explanation{first: ref}
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
func (r *round) meaning(text string) string {
	return word.ReplaceAllStringFunc(lasting(text), func(w string) string {
		if _, _, ok := v1.ParsePodName(r.in.Framework.Name, strings.TrimRight(w, ".")); ok {
			return "Pod"
		}
		return w
	})
}

// spoken returns the Task that a stored message about stalled Pods names; ok is false if it is not one of those.
func spoken(said string, late []TaskRef) (ref TaskRef, ok bool) {
	name, _, _ := strings.Cut(strings.TrimPrefix(said, "Task "), " ")
	i := strings.LastIndex(name, "-")
	if i < 0 {
		return TaskRef{}, false
	}
	index, err := strconv.ParseInt(name[i+1:], 10, 32)
	ref = TaskRef{Role: name[:i], Index: int32(index)}
	_, found := slices.BinarySearchFunc(late, ref, compareRefs)
	return ref, err == nil && found
}
