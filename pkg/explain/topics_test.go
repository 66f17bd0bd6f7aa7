package explain

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	retryrules "github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/retry"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the table of topics in the manual")

const outputPage = "../../docs/reference/kubectl-output.md"

// Each topic has a sentence that can be rendered, from existing arguments.
func TestTopics(t *testing.T) {
	known := argumentNames()
	for _, topic := range topicsInOrder(t) {
		row, ok := topics[topic]
		if !ok {
			t.Errorf("%s has no row", topic)
		}
		for _, arg := range row.arguments() {
			if !slices.Contains(known, arg) {
				t.Errorf("%s: there is no argument %s", topic, arg)
			}
		}
		if _, err := template.New("").Parse(row.sentence); err != nil || row.sentence == "" {
			t.Errorf("%s: %q: %v", topic, row.sentence, err)
		}
	}
	if n := len(topicsInOrder(t)); n != len(topics) {
		t.Errorf("%d topics, and %d rows", n, len(topics))
	}
}

// The manual has every topic with its arguments, and every argument.
func TestTopicsAreInTheManual(t *testing.T) {
	text := page.Read(t, outputPage)
	for _, arg := range argumentNames() {
		if !strings.Contains(text, "`"+arg+"`") {
			t.Errorf("argument %s is not in the manual", arg)
		}
	}
	page.Keep(t, outputPage, page.Generated(t, text, "topics", tableOfTopics(t)), *rewrite)
}

func tableOfTopics(t *testing.T) string {
	var b strings.Builder
	fmt.Fprint(&b, "| Topic | Arguments | Sentence |\n|---|---|---|\n")
	for _, topic := range topicsInOrder(t) {
		row := topics[topic]
		args := "-"
		if row.args != "" {
			args = "`" + strings.Join(row.arguments(), "` `") + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", topic, args, strings.ReplaceAll(inShort(topic), "|", `\|`))
	}
	return b.String()
}

// allDots describes the sentences that have no words but arguments.
var allDots = map[Topic]string{
	InvalidEnds: "How it ends.", TaskStates: "How many Tasks are in each state.", CompletionPolicy: "When the Tasks of the role end the attempt.",
	WaitingEnds: "How the wait ends.", CodeMeans: "The meaning of the code.", ContainerReason: "The meaning of the reason.",
	Disrupted: "Why Kubernetes removed the Pod.", EarlierRetry: "When an attempt began, after the end of the one before it.",
	MoreTasks: "How many more Tasks have failed or wait to be retried.", MoreNodes: "How many more nodes are avoided.",
	WasRetried: "Why a Task was retried.",
	LastRetry:  "When an attempt of a Task began, after the end of the one before it.", RetriesLeft: "Whether a retry was left.",
}

var (
	dots      = regexp.MustCompile(`…+`)
	condition = regexp.MustCompile(`\{\{(if|with|else)[^}]*\}\}.*\{\{end\}\}`)
	part      = regexp.MustCompile(`\{\{[^}]*\}\}`)
)

// inShort is the sentence of a topic with dots in place of arguments.
func inShort(topic Topic) string {
	text := part.ReplaceAllString(condition.ReplaceAllString(topics[topic].sentence, "…"), "…")
	return cmp.Or(allDots[topic], dots.ReplaceAllString(text, "…"))
}

// topicsInOrder lists the topics of the source, in its order.
func topicsInOrder(t *testing.T) (all []Topic) {
	t.Helper()
	eachNode(t, ".", func(node ast.Node) {
		spec, ok := node.(*ast.ValueSpec)
		if !ok {
			return
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == "Topic" {
			all = append(all, Topic(spec.Names[0].Name))
		}
	})
	return all
}

func argumentNames() (names []string) {
	of := reflect.TypeFor[Args]()
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// arguments returns the names in args.
func (r topicRow) arguments() []string {
	return strings.FieldsFunc(r.args, func(c rune) bool { return c == ',' })
}

// requireArguments fails on a statement with an argument that its topic is not documented to have.
func requireArguments(t *testing.T, a Answer) {
	t.Helper()
	for _, s := range a.Statements {
		text, err := json.Marshal(s.Args)
		require.NoError(t, err)
		var args map[string]any
		require.NoError(t, json.Unmarshal(text, &args))
		for arg := range args {
			if !slices.Contains(topics[s.Topic].arguments(), arg) {
				t.Errorf("%s has the argument %s: %s", s.Topic, arg, text)
			}
		}
	}
}

// Two statements are the same if topic and subject are equal, whatever their words, and the commands of both are kept.
func TestStatementsAreMadeOnce(t *testing.T) {
	k := know(Facts{Framework: frameworkOf(), Now: halfPastFour})
	one, two := 1, 2
	worker := func(i int32) Subject { return taskSubject("worker", i) }
	a := compose(k, k.framework(), []Statement{
		{Topic: TasksWanted, Subject: k.framework(), Args: Args{Tasks: &one}},
		{Topic: HasNoTasks, Subject: k.framework(), Continues: true},
		{Topic: TasksWanted, Subject: k.framework(), Args: Args{Tasks: &two}, next: []Step{{Command: "second"}}},
		{Topic: LogsGone, Subject: k.framework(), Continues: true},
		{Topic: NotRetried, Subject: worker(0), Args: Args{Row: retryrules.Permanent}},
		{Topic: NotRetried, Subject: worker(1), Args: Args{Row: retryrules.Permanent}},
		{Topic: LatestWords, Subject: Subject{Kind: ofPod, Name: "p"}, Args: Args{Words: "no room", Since: at(halfPastFour), From: "x"}},
		{Topic: PodUnscheduled, Subject: Subject{Kind: ofPod, Name: "p"}, Args: Args{Words: "no room"}},
	}, Step{Command: "last", Why: ""}, Step{Command: "second", Why: ""})
	want := []string{
		"It will have 1 Task. It has no Tasks, so it idles until it gets some or is stopped.",
		"Task worker-0 is not retried: with fancyRetryPolicy, a permanent failure is never retried, whatever maxRetryCount is.",
		"Task worker-1 is not retried either, for the same reason.",
		"The latest warning about Pod p is from x, 0s ago: no room.",
	}
	require.Equal(t, want, a.Lines())
	require.Equal(t, []Step{{Command: "second"}, {Command: "last"}}, a.Next)
}
