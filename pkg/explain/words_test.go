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
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// reasonsIn are the packages whose sources are searched for reasons.
var reasonsIn = []string{"../lifecycle", "../lifecycle/deadline", "../lifecycle/retry", "../controller", "../controller/hintobjects", "../controller/specwarnings", "../controller/podview", "../completion"}

// notReasons are texts that look like reasons of conditions and events, and are none.
var notReasons = map[string]string{
	"ConfigMap": "a kind", "Service": "a kind", "Secret": "a kind", "DeleteOptions": "a kind", "Pod": "a kind", "PodList": "a kind",
	"Failure": "the status of an answer", "BadRequest": "a status of an answer",
	"RequestEntityTooLarge": "a status of an answer",
	"Attempt":               "a prefix of states", "Pending": "a phase of Pods", "Deleted": "a word of the log",
	"Unscheduled": "what keeps a Pod from running", "ImagePull": "the same", "ContainerCreate": "the same", "NotRunning": "the same",
	"Accept": "a header", "ContainerStatusUnknown": "a reason of containers", "All": "a dry run",
}

// toldBy are the types and reasons of conditions, and the reasons of events, that have no word of their own, as the answer has
// them in its course: with the function that tells them.
var toldBy = map[string]string{
	// The states, which are also reasons of the condition Running, and the other conditions and their reasons.
	string(v1.AttemptCreationPending): "beforeAttempt", string(v1.AttemptCreationRequested): "headline",
	string(v1.AttemptPreparing): "headline", string(v1.AttemptRunning): "headline", string(v1.AttemptDeletionPending): "headline",
	string(v1.AttemptDeletionRequested): "headline", string(v1.AttemptDeleting): "headline", string(v1.AttemptCompleted): "headline",
	v1.ConditionRunning: "headline", v1.ConditionCompleted: "completed", v1.ConditionFailed: "completed", "Succeeded": "completed",
	v1.ConditionWaiting: "waiting", v1.ConditionSuspended: "suspension", "Stopped": "completed",
	// Events.
	lifecycle.ReasonRetryScheduled: "sayRetry", lifecycle.ReasonRetried: "earlierAttempts", lifecycle.ReasonTaskFailed: "sayTrouble",
	lifecycle.ReasonTaskRetried: "retriedTasks", lifecycle.ReasonTaskRetryScheduled: "sayTaskRetry",
	lifecycle.ReasonSchedulingChangedLate: "schedulingChangedLate",
	lifecycle.ReasonPeersRestarted:        "sayRestart", lifecycle.ReasonRescaled: "sayTasks",
	lifecycle.ReasonNodeAvoided: "avoidedNodes", lifecycle.ReasonAvoidedNodesNeeded: "sayAvoided",
}

// notTold say that nothing is in the way, or nothing is to be done.
var notTold = map[string]string{
	"NothingInTheWay": "nothing is waited for any more", "StatusRepaired": "the Framework is as any other again",
	lifecycle.ReasonResumed: "it goes on as any other", "StatusCompressed": "it is read as any other",
}

// Every code, every type of condition and each of their reasons, and every reason of an event has a word, or a function that
// tells it.
func TestEveryConstantHasAWord(t *testing.T) {
	for _, e := range completion.Table() {
		requireWord(t, "code "+e.Phrase, codeWords[e.Code])
		requireChange(t, e)
	}
	for code := range codeWords {
		if !slices.ContainsFunc(completion.Table(), func(e completion.Entry) bool { return e.Code == code }) {
			t.Errorf("code %d has a word, and is not predefined", code)
		}
	}
	for name, value := range constants(t, "../apis/frameworkcontroller/v1") {
		isState := strings.HasPrefix(name, "Attempt") && !strings.HasPrefix(name, "Attribute") && value == name
		if strings.HasPrefix(name, "Condition") || isState || name == "Completed" {
			requireReason(t, name, value)
		}
	}
	seen := map[string]bool{}
	for _, dir := range reasonsIn {
		for _, reason := range literals(t, dir) {
			seen[reason] = true
			requireReason(t, dir, reason)
		}
	}
	for _, why := range reason.Waitings() {
		requireReason(t, "reason to wait", string(why))
	}
	for _, reason := range []string{"PodRefused", "StatusCut", "Stopped"} {
		if !seen[reason] {
			t.Errorf("%s was not found, so the sources are misread", reason)
		}
	}
	tellers := functions(t, ".")
	for reason, teller := range toldBy {
		if !tellers[teller] {
			t.Errorf("%s is said to be told by %s, which does not exist", reason, teller)
		}
	}
}

func requireReason(t *testing.T, where, reason string) {
	t.Helper()
	isTold := waitingWords[reason].Means != "" || invalidWords[reason].Means != "" || slices.Contains(warned, reason) ||
		toldBy[reason] != "" || disruptionWords[reason] != "" || kubeletWords[reason] != "" || isPhrase(reason)
	if !isTold && notTold[reason] == "" && notReasons[reason] == "" {
		t.Errorf("%s: %s has no word, and nothing tells it; if it is no reason, say so in notReasons", where, reason)
	}
}

// Each word of a warning is said: it is among those that warnings goes through.
func TestWarningsAreTold(t *testing.T) {
	for reason := range eventWords {
		if !slices.Contains(warned, reason) {
			t.Errorf("%s has a word, and is not among what is warned of", reason)
		}
		now := time.Now()
		f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning}}
		e := corev1.Event{Reason: reason, Message: "something of role worker", LastTimestamp: metav1.NewTime(now),
			InvolvedObject: corev1.ObjectReference{Kind: v1.FrameworkKind, Name: f.Name}, Type: corev1.EventTypeWarning}
		text := strings.Join(Framework(Facts{Framework: f, Events: []corev1.Event{e}, Now: now}).Sentences, " ")
		if !strings.Contains(text, eventWords[reason].Means+" In detail: something of role worker.") {
			t.Errorf("%s is not told in %q", reason, text)
		}
	}
}

// What is listed as no reason is still there, and the list does not grow old.
func TestNotReasonsAreThere(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range reasonsIn {
		for _, text := range literals(t, dir) {
			seen[text] = true
		}
	}
	for text := range notReasons {
		if !seen[text] {
			t.Errorf("%s is in notReasons, and nowhere else", text)
		}
	}
}

// Every phrase of the default configuration has a word, and no other has: what it says is what the comments there say.
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
		if word.Means == configuredWord.Means || word.Means == codeWords[completion.CodeSucceeded].Means {
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

func isPhrase(text string) bool {
	return text == completion.PhraseContainerUnrecognizedFailed ||
		slices.ContainsFunc(completion.Table(), func(e completion.Entry) bool { return e.Phrase == text })
}

// Every word is whole sentences, and its commands name nothing that is never known.
func TestWordsAreSentences(t *testing.T) {
	for _, words := range []map[string]Word{waitingWords, invalidWords, eventWords} {
		for reason, word := range words {
			requireWord(t, reason, word)
		}
	}
	for reason, word := range waitingWords {
		if word.Ends == "" || len(word.Next) == 0 {
			t.Errorf("%s: a wait needs what ends it, and a command", reason)
		}
	}
	for _, reason := range warned {
		requireWord(t, reason, eventWords[reason])
	}
}

var sentence = regexp.MustCompile(`^[A-Za-z].*\.$`)

// notFailures are codes of which there is nothing to change.
var notFailures = append([]completion.Code{
	completion.CodeSucceeded,
	// A creation that may succeed later, or that others are slow with, is tried again without an end.
	completion.CodePodCreationTransientError, completion.CodeConfigMapLocalCacheCreationTimeout, completion.CodePodLocalCacheCreationTimeout,
}, endedByOthers...)

// requireChange: of a failure it is said what to change.
func requireChange(t *testing.T, e completion.Entry) {
	t.Helper()
	isFailure := !slices.Contains(notFailures, e.Code)
	if change := codeWords[e.Code].Change; isFailure != (change != "") || isFailure && !whatToChange.MatchString(change) {
		t.Errorf("%s: %q is to be changed", e.Phrase, change)
	}
}

// whatToChange is what follows after "What to change: ".
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

// reasonForm is how a reason looks: PascalCase.
var reasonForm = regexp.MustCompile(`^[A-Z][a-z]+([A-Z]+[a-z]+)*$`)

// literals are the texts in the sources of a package that look like reasons.
func literals(t *testing.T, dir string) (found []string) {
	t.Helper()
	eachNode(t, dir, func(node ast.Node) {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && reasonForm.MatchString(text) {
				found = append(found, text)
			}
		}
	})
	return found
}

// constants are those of a package that are texts.
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

// functions are the names of those of a package, methods among them.
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
