package explain

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// toldBy lists the types and reasons of conditions that have no word of their own, because the answer explains them in its
// course, with the function that does so.
var toldBy = map[string]string{
	// The states, which are also reasons of the condition Running, and the other conditions and their reasons.
	string(v1.AttemptCreationPending): "beforeAttempt", string(v1.AttemptCreationRequested): "headline",
	string(v1.AttemptPreparing): "headline", string(v1.AttemptRunning): "headline", string(v1.AttemptDeletionPending): "headline",
	string(v1.AttemptDeletionRequested): "headline", string(v1.AttemptDeleting): "headline", string(v1.AttemptCompleted): "headline",
	v1.ConditionRunning: "headline", v1.ConditionCompleted: "completed", v1.ConditionFailed: "completed", "Succeeded": "completed",
	v1.ConditionWaiting: "waiting", v1.ConditionSuspended: "suspension", "Stopped": "completed",
}

// eventsToldBy lists the reasons of events that the answer explains in its course, with the function that does so.
var eventsToldBy = map[reason.Event]string{
	reason.AttemptCompleted: "attemptEnded", reason.Completed: "completed", reason.Suspended: "suspension",
	reason.RetryScheduled: "retryOf", reason.Retried: "earlierAttempts", reason.TaskFailed: "trouble",
	reason.TaskRetried: "retriedTasks", reason.TaskRetryScheduled: "taskRetryOf",
	reason.SchedulingChangedLate: "schedulingChangedLate",
	reason.PeersRestarted:        "restart", reason.Rescaled: "tasksOf",
	reason.MemoryRaised: "memoryChanges", reason.MemoryKept: "memoryChanges",
	reason.NodeAvoided: "avoidedNodes", reason.AvoidedNodesNeeded: "avoided",
	reason.PodDeleted: "earlierDeletions", reason.StatusInvalid: "leftAlone", reason.SpecInvalid: "leftAlone",
}

// eventsNotTold lists events that call for no action.
var eventsNotTold = map[reason.Event]string{
	reason.Resumed: "it goes on as any other", reason.StatusCompressed: "it is read as any other",
	reason.ConfigMapDeleted: "its Pods are gone, and why they are is told",
}

// Every type of condition and every state is explained by a function, and so is every event, unless it is quoted with its
// message.
func TestEveryConstantIsTold(t *testing.T) {
	tellers := functions(t, ".")
	require := func(what, teller string) {
		if !tellers[teller] {
			t.Errorf("%s is told by %q, which does not exist", what, teller)
		}
	}
	for name, value := range constants(t, "../apis/frameworkcontroller/v1") {
		isState := strings.HasPrefix(name, "Attempt") && !strings.HasPrefix(name, "Attribute") && value == name
		if (strings.HasPrefix(name, "Condition") || isState || name == "Completed") && value != v1.ConditionStatusInvalid {
			require(value, toldBy[value])
		}
	}
	for _, row := range reason.EventTable() {
		if teller := eventsToldBy[row.Reason]; row.Untold != (teller == "" && eventsNotTold[row.Reason] == "") {
			t.Errorf("%s is told twice, or not at all", row.Reason)
		} else if teller != "" {
			require(string(row.Reason), teller)
		}
	}
}

// An event without an explanation elsewhere is quoted with its meaning and its message.
func TestWarningsAreTold(t *testing.T) {
	for _, row := range reason.EventTable() {
		if !row.Untold {
			continue
		}
		now := time.Now()
		f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
		e := corev1.Event{Reason: string(row.Reason), Message: "something of role worker", LastTimestamp: metav1.NewTime(now),
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: f.Name}, Type: corev1.EventTypeWarning}
		text := strings.Join(Framework(Facts{Framework: f, Events: []corev1.Event{e}, Now: now}).Lines(), " ")
		if !strings.Contains(text, row.Means+" In detail: something of role worker.") {
			t.Errorf("%s is not told in %q", row.Reason, text)
		}
	}
}

// A failure with a predefined code is explained in the words of its entry, whatever another code with its phrase may mean.
func TestEveryCodeIsTold(t *testing.T) {
	for _, e := range completion.Table() {
		if word := CodeWord(completion.Predefined(e.Code, "")); word.Means != e.Means || word.Change != e.Change {
			t.Errorf("%s is told as %+v", e.Phrase, word)
		}
	}
	for phrase := range ruleWords {
		if slices.ContainsFunc(completion.Table(), func(e completion.Entry) bool { return e.Phrase == phrase }) {
			t.Errorf("%s is predefined, and has words of a rule", phrase)
		}
	}
}

// Every phrase of the default configuration has a word, and no other phrase has; the word agrees with the comments there.
func TestEveryRuleHasAWord(t *testing.T) {
	text, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	require.NoError(t, err)
	c, err := config.Parse(text)
	require.NoError(t, err)
	require.Greater(t, len(c.PodFailureSpec), 20)
	configured := map[string]bool{}
	for _, rule := range c.PodFailureSpec {
		configured[rule.Phrase] = true
		word := CodeWord(v1.CompletionStatus{Code: *rule.Code, Phrase: rule.Phrase, Type: v1.CompletionType{Name: v1.CompletionFailed}})
		if word.Means == configuredWord.Means || word.Means == CodeWord(completion.Predefined(completion.CodeSucceeded, "")).Means {
			t.Errorf("%d, %s, has no word of its own", *rule.Code, rule.Phrase)
			continue
		}
		requireWord(t, rule.Phrase, word)
		if !whatToChange.MatchString(word.Change) || len(word.Next) == 0 {
			t.Errorf("%s: %q is to be changed, and then %v", rule.Phrase, word.Change, word.Next)
		}
	}
	for phrase := range ruleWords {
		if !configured[phrase] {
			t.Errorf("%s has a word, and is not in the default configuration", phrase)
		}
	}
}

var sentence = regexp.MustCompile(`^[A-Za-z].*\.$`)

// whatToChange matches a text that can follow after "What to change: ".
var whatToChange = regexp.MustCompile(`^[a-z].*\.$`)

var placeholder = regexp.MustCompile(`\{([a-z]+)\}`)

func requireWord(t *testing.T, of string, word Word) {
	t.Helper()
	if !sentence.MatchString(word.Means) || word.Ends != "" && !sentence.MatchString(word.Ends) {
		t.Errorf("%s: no sentences: %+v", of, word)
	}
	for _, step := range word.Next {
		if step.Why == "" {
			t.Errorf("%s: %q does not say what it is good for", of, step.Command)
		}
		for _, found := range placeholder.FindAllStringSubmatch(step.Command, -1) {
			if !slices.Contains([]string{"framework", "namespace", "role", "task", "pod", "node"}, found[1]) {
				t.Errorf("%s: %q names an unknown %s", of, step.Command, found[1])
			}
		}
	}
}

// constants returns the text constants of a package.
func constants(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachNode(t, dir, func(node ast.Node) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || len(spec.Values) != len(spec.Names) {
			return
		}
		for i, name := range spec.Names {
			if lit, ok := spec.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
				found[name.Name], _ = strconv.Unquote(lit.Value)
			}
		}
	})
	return found
}

// functions returns the names of all functions in a package, including methods.
func functions(t *testing.T, dir string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	eachNode(t, dir, func(node ast.Node) {
		if f, ok := node.(*ast.FuncDecl); ok {
			found[f.Name.Name] = true
		}
	})
	return found
}

func eachNode(t *testing.T, dir string, visit func(ast.Node)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths, dir)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(node ast.Node) bool {
			if node != nil {
				visit(node)
			}
			return true
		})
	}
}
