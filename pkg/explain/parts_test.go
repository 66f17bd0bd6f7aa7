package explain

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Times, distances, Tasks and nodes of a sentence are data, and all parts together are the sentence.
func TestParts(t *testing.T) {
	k := know(Facts{Framework: frameworkOf(), Now: halfPastFour})
	since, until := halfPastFour.Add(-5*time.Minute), halfPastFour.Add(time.Hour)
	task := taskSubject("worker", 3)
	attempt, code, later := int32(1), int32(7), 2
	for name, c := range map[string]struct {
		of   Statement
		want []Part
	}{
		"a time of the past": {Statement{Topic: FailedFirst, Subject: task, Args: Args{Attempt: &attempt, Since: at(since), Node: "node-5", Attempts: &later}}, []Part{
			{Text: "Task "}, {Text: "worker-3", Subject: &task}, {Text: " failed first: its attempt 1 ended at "}, {Text: stamp(since).Text, Time: at(since)}, {Text: " ("},
			{Text: "5m", Time: at(since), Distance: true}, {Text: " ago) on node "}, {Text: "node-5", Subject: &Subject{Kind: ofNode, Name: "node-5"}}, {Text: ", before 2 other failures."}}},
		"a time to come": {Statement{Topic: NextAttempt, Subject: k.framework(), Args: Args{Until: at(until)}}, []Part{
			{Text: "The next attempt begins at "}, {Text: stamp(until).Text, Time: at(until)}, {Text: " (in "}, {Text: "60m", Time: at(until), Distance: true}, {Text: ")."}}},
		"an unknown time": {Statement{Topic: FrameworkRunning, Subject: k.framework(), Args: Args{Attempt: &attempt}}, nil},
		"only text":       {Statement{Topic: EndedForGood, Subject: k.framework()}, nil},
		"a time and a node in one": {Statement{Topic: EarlierRetry, Subject: k.framework(), Args: Args{Attempt: &attempt, Since: at(since), Code: &code, Node: "node-5"}}, []Part{
			{Text: "Earlier: attempt 2 began "}, {Text: "5m", Time: at(since), Distance: true}, {Text: " ago, after attempt 1 failed with code 7 on "},
			{Text: "node-5", Subject: &Subject{Kind: ofNode, Name: "node-5"}}, {Text: "."}}},
		"words that look like a time": {Statement{Topic: WaitingInDetail, Subject: k.framework(), Args: Args{Words: stamp(since).Text + " (5m ago) on node node-5"}}, nil},
	} {
		said := sentenceOf(c.of, k.framework(), k)
		require.Equal(t, c.want, said.merged(), name)
		if c.want != nil {
			require.Equal(t, said.String(), phrase(c.want).String(), name)
		}
	}
}

// The parts of all sentences of an answer are these sentences, and each time that a sentence words is in its parts.
func TestPartsAreTheSentence(t *testing.T) {
	f := frameworkOf()
	f.Status.AttemptStatus.StartTime = metav1.NewTime(halfPastFour.Add(-time.Hour))
	answer := Framework(Facts{Framework: f, Now: halfPastFour})
	rich := 0
	for _, s := range answer.Statements {
		if s.Parts != nil {
			rich++
			require.Equal(t, s.Sentence, phrase(s.Parts).String())
		}
	}
	require.NotZero(t, rich)
	require.NotContains(t, strings.Join(answer.Lines(), " "), handOver)
}
