package controller

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// kinds are all kinds of writes that the controller makes, except of objects that scheduler hints want.
var kinds = []string{
	"apply of the CRD",
	"create of a ConfigMap", "delete of a ConfigMap",
	"create of a Pod", "delete of a Pod", "delete of a Pod by force",
	"update of a status", "update of a status that is compressed", "patch of a status that makes no sense",
	"delete of a Framework",
	"create of a Service", "patch of a Service", "delete of a Service", "create of a Secret", "delete of a Secret",
	"create of a claim", "delete of a claim",
}

func kindOf(q apitest.Request) string {
	switch q.Resource {
	case apitest.CRDs:
		return "apply of the CRD"
	case apitest.ConfigMaps:
		return q.Verb + " of a ConfigMap"
	case apitest.Frameworks:
		return q.Verb + " of a Framework"
	case apitest.Pods:
		if grace, found, _ := unstructured.NestedInt64(q.Body, "gracePeriodSeconds"); found && grace == 0 {
			return q.Verb + " of a Pod by force"
		}
		return q.Verb + " of a Pod"
	case apitest.Services:
		return q.Verb + " of a Service"
	case apitest.Secrets:
		return q.Verb + " of a Secret"
	case apitest.Claims:
		return q.Verb + " of a claim"
	}
	if q.Verb == "patch" {
		return "patch of a status that makes no sense"
	}
	if _, compressed, _ := unstructured.NestedString(q.Body, "status", "attemptStatus", "taskRoleStatusesCompressed"); compressed {
		return "update of a status that is compressed"
	}
	return "update of a status"
}

// kindOfAction returns the kind of write of a lifecycle action; empty if it writes nothing.
func kindOfAction(action string) string {
	nouns := map[string]string{"configmap": "ConfigMap", "pod": "Pod", "framework": "Framework", "service": "Service", "secret": "Secret"}
	verb, noun, _ := strings.Cut(action, "_")
	switch verb {
	case "read":
		return ""
	case "keep":
		verb = "create"
	}
	return verb + " of a " + cmp.Or(nouns[noun], noun)
}

// point is one place to crash at.
type point struct {
	story string
	crash
}

// coverage sums up the states, writes and rows that all plays together have reached.
type coverage struct {
	mu                 sync.Mutex
	frameworks, tasks  map[v1.State]bool // states that were stored
	kinds              map[string]int    // number of writes by kind
	rows               map[string]bool   // rows of the transition tables
	writes, stories    int               // without crashes
	points, crashes    int               // numbers of plays with one crash
	missed             []point
	pairs, pairCrashes int
	lives              int // lives that make one change each
}

func newCoverage() *coverage {
	return &coverage{frameworks: map[v1.State]bool{}, tasks: map[v1.State]bool{}, rows: map[string]bool{}, kinds: map[string]int{}}
}

// visit records the coverage of a play without a crash.
func (c *coverage) visit(p *play) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stories++
	c.writes += len(p.lives[0])
	for _, q := range p.lives[0] {
		c.kinds[kindOf(q)]++
	}
	for _, row := range loggedRow.FindAllStringSubmatch(p.log.String(), -1) {
		c.rows[row[1]] = true
	}
	for _, o := range p.History(apitest.Frameworks, "a") {
		if o == nil || statusOf(o).State == "" {
			continue
		}
		s := statusOf(o)
		c.frameworks[s.State] = true
		for _, r := range s.AttemptStatus.TaskRoleStatuses {
			for _, t := range r.TaskStatuses {
				c.tasks[t.State] = true
			}
		}
	}
}

// note enters a play with one crash. Changes on which nothing depends yet may be stored together, so that a play may have fewer
// writes than the one without a crash, and the last points are not reached.
func (c *coverage) note(p *play, at point) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points++
	c.crashes += p.crashes
	if p.crashes == 0 {
		c.missed = append(c.missed, at)
	}
}

func (c *coverage) notePair(p *play) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pairs++
	c.pairCrashes += p.crashes
}

func (c *coverage) noteLives(p *play) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lives += p.crashes
}

// require fails if a state or a kind of write was never reached, or if too many points were missed.
func (c *coverage) require(t *testing.T) {
	t.Helper()
	for _, s := range declaredStates(t) {
		if !c.frameworks[s] || !c.tasks[s] {
			t.Errorf("no story stores %s: of the Framework %t, of a Task %t", s, c.frameworks[s], c.tasks[s])
		}
	}
	if got := slices.Sorted(maps.Keys(c.kinds)); !slices.Equal(got, slices.Sorted(slices.Values(kinds))) {
		t.Errorf("the stories have writes of the kinds %q, want %q", got, kinds)
	}
	for _, action := range Actions() {
		if kind := kindOfAction(action); kind != "" && !slices.Contains(kinds, kind) {
			t.Errorf("no story has action %s", action)
		}
	}
	for _, row := range transitions() {
		if !c.rows[row] {
			t.Errorf("no story has transition %s", row)
		}
	}
	for _, m := range c.missed {
		t.Logf("not reached, as there were fewer writes this time: %s: %s write %d", m.story, m.fate, m.write)
	}
	if len(c.missed)*20 > c.points {
		t.Errorf("%d points of %d were not reached", len(c.missed), c.points)
	}
}

func (c *coverage) figures() string {
	return fmt.Sprintf("%d points at %d writes, %d crashes at them, %d in %d pairs, %d lives of one change each, %d stories, "+
		"all of %d states of Frameworks and Tasks, %d transitions, %d kinds of writes",
		c.points, c.writes, c.crashes, c.pairCrashes, c.pairs, c.lives, c.stories, len(c.frameworks), len(transitions()), len(c.kinds))
}

var loggedRow = regexp.MustCompile(` moved: .* row=(\S+)`)

// transitions are all that lead to another state.
func transitions() (ids []string) {
	for _, row := range slices.Concat(lifecycle.FrameworkTable(), lifecycle.TaskTable()) {
		if !row.Hold() {
			ids = append(ids, row.ID)
		}
	}
	return ids
}

// declaredStates are the constants of type State in the API, read from its source, so that a new one needs a story.
func declaredStates(t *testing.T) (out []v1.State) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../apis/frameworkcontroller/v1/types_status.go", nil, 0)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "State" {
			for _, value := range spec.Values {
				text, _ := strconv.Unquote(value.(*ast.BasicLit).Value)
				out = append(out, v1.State(text))
			}
		}
		return true
	})
	if len(out) < 9 || slices.ContainsFunc(out, func(s v1.State) bool { return strings.TrimSpace(string(s)) == "" }) {
		t.Fatalf("found the states %q", out)
	}
	return out
}
