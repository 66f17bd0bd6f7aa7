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

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// notReasons are texts that look like reasons of conditions and events, and are none.
var notReasons = map[string]string{
	"ConfigMap": "a kind", "Service": "a kind", "Secret": "a kind", "DeleteOptions": "a kind", "Pod": "a kind", "PodList": "a kind",
	"Failure": "the status of an answer", "BadRequest": "a status of an answer",
	"RequestEntityTooLarge": "a status of an answer",
	"Attempt":               "a prefix of states", "Pending": "a phase of Pods", "Deleted": "a word of the log",
	"Unscheduled": "what keeps a Pod from running", "ImagePull": "the same", "ContainerCreate": "the same", "NotRunning": "the same",
	"Accept": "a header", "All": "a dry run",
}

// Every code, every type of condition and each of their reasons, and every reason of an event has a word.
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
		switch {
		case strings.HasPrefix(name, "Condition"):
			requireWord(t, name, conditionWords[value])
		case strings.HasPrefix(name, "Attempt") && !strings.HasPrefix(name, "Attribute") && value == name, name == "Completed":
			requireWord(t, "state "+name, reasonWords[value])
		}
	}
	seen := map[string]bool{}
	for _, dir := range []string{"../lifecycle", "../controller", "../controller/podview", "../completion"} {
		for _, reason := range literals(t, dir) {
			seen[reason] = true
			requireReason(t, dir, reason)
		}
	}
	for _, reason := range []string{"Unschedulable", "NameConflict", "PodRefused", "StatusCut", "Stopped", "MemoryLimitReached"} {
		if !seen[reason] {
			t.Errorf("%s was not found, so the sources are misread", reason)
		}
	}
}

func requireReason(t *testing.T, dir, reason string) {
	t.Helper()
	_, isEvent := EventWord(reason)
	_, isReason := reasonWords[reason]
	isOfPods := disruptionWords[reason] != "" || kubeletWords[reason] != ""
	if !isEvent && !isReason && !isOfPods && notReasons[reason] == "" && !isPhrase(reason) && conditionWords[reason].Means == "" {
		t.Errorf("%s: %s has no word; if it is no reason, say so in notReasons", dir, reason)
	}
}

// What is listed as no reason is still there, and the list does not grow old.
func TestNotReasonsAreThere(t *testing.T) {
	seen := map[string]bool{}
	for _, dir := range []string{"../lifecycle", "../controller", "../controller/podview", "../completion"} {
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
	for _, words := range []map[string]Word{waitingWords, reasonWords, eventWords, conditionWords} {
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

// notFailures are codes with which somebody has ended what might have gone on.
var notFailures = []completion.Code{
	completion.CodeStopFrameworkRequested, completion.CodeFrameworkAttemptCompletion, completion.CodeDeleteTaskRequested,
	completion.CodeFrameworkSuspended, completion.CodeEvictedByScheduler, completion.CodeRestartedWithPeers,
	completion.CodeNodesAvoidedTooStrictly, completion.CodeSucceeded,
	// A creation that may succeed later, or that others are slow with, is tried again without an end.
	completion.CodePodCreationTransientError, completion.CodeConfigMapLocalCacheCreationTimeout, completion.CodePodLocalCacheCreationTimeout,
}

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

// reason is what a reason looks like: PascalCase.
var reason = regexp.MustCompile(`^[A-Z][a-z]+([A-Z]+[a-z]+)*$`)

// literals are the texts in the sources of a package that look like reasons.
func literals(t *testing.T, dir string) (found []string) {
	t.Helper()
	eachNode(t, dir, func(node ast.Node) {
		if lit, ok := node.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && reason.MatchString(text) {
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
