package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// taskName names a Task within its Framework.
type taskName struct {
	role  string
	index int32
}

func (n taskName) String() string { return fmt.Sprintf("%s-%d", n.role, n.index) }

// mostNames is how many names, or ranges of names, a line has.
const mostNames = 4

// listed returns the names of Tasks, consecutive ones as a range.
func listed(names []taskName) string {
	names = slices.Clone(names)
	slices.SortFunc(names, func(a, b taskName) int { return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.index, b.index)) })
	var parts []string
	for i := 0; i < len(names); {
		last := i
		for last+1 < len(names) && names[last+1] == (taskName{names[i].role, names[last].index + 1}) {
			last++
		}
		parts = append(parts, inARow(names[i], names[last]))
		i = last + 1
	}
	if n := len(parts) - mostNames; n > 0 {
		parts = append(parts[:mostNames], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

func inARow(first, last taskName) string {
	switch last.index - first.index {
	case 0:
		return first.String()
	case 1:
		return first.String() + ", " + last.String()
	}
	return fmt.Sprintf("%s to %d", first, last.index)
}

// manyDo are verbs as one Task does it, and as several do.
var manyDo = map[string]string{"is": "are", "has": "have", "runs": "run"}

// agreeing puts the verb at the beginning of a text into the form for that number of Tasks.
func agreeing(text string, tasks int) string {
	verb, rest, _ := strings.Cut(text, " ")
	if many, ok := manyDo[verb]; ok && tasks > 1 {
		return strings.TrimSpace(many + " " + rest)
	}
	return text
}
