package controller

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// tomorrow is a classifier in shadow, which answers when it is let.
type tomorrow struct {
	silentJudge
	let chan struct{}
}

func (t tomorrow) Config(name string) (pluginhost.Config, bool) {
	return pluginhost.Config{Name: "judge", Kind: plugin.KindFailureClassifier, Shadow: true, FailurePolicy: pluginhost.Wait}, name == "judge"
}

func (t tomorrow) Classify(_ context.Context, _ string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	<-t.let
	given := map[string]*pluginpb.Verdict{}
	for _, p := range pods {
		given[p.GetUid()] = &pluginpb.Verdict{Uid: p.GetUid(), Code: 1000, Phrase: "Tomorrow", Type: &pluginpb.CompletionType{Name: "Failed", Attributes: []string{"Transient"}}}
	}
	return pluginhost.Verdicts{Given: given}, pluginhost.Source{}, nil
}

// shadowCounts counts what is observed.
type shadowCounts struct {
	unobserved
	mu sync.Mutex
	n  map[consult.ShadowOutcome]int
}

func (s *shadowCounts) ShadowVerdict(_ consult.InShadow, o consult.ShadowOutcome) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n[o]++
}

func (s *shadowCounts) count(o consult.ShadowOutcome) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n[o]
}

// A Framework ends by the rules, and does not wait for a plugin in shadow, of whose verdict it is observed how it differs. While too many are
// asked, others are not.
func TestShadow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := &shadowCounts{n: map[consult.ShadowOutcome]int{}}
	w.options.Observer = seen
	let := make(chan struct{})
	w.startWith(tomorrow{let: let})
	fail := func(name string) {
		w.create(name)
		pod := name + "-w-0"
		w.eventually(pod, func() bool { return w.Get(apitest.Pods, pod) != nil })
		w.RunPod(pod)
		w.EndPod(pod, 9)
		w.reaches(name, v1.Completed)
		w.requireCode(name, 9)
	}
	fail("a")
	for range shadowsAtATime - 1 {
		w.c.asker.shadow.turns <- struct{}{}
	}
	fail("b")
	if n := seen.count(consult.ShadowUnanswered); n != 1 {
		t.Errorf("%d Pods have no answer", n)
	}
	close(let)
	w.eventually("a difference", func() bool { return seen.count(consult.ShadowOtherType) == 1 })
	if a := w.task("a", "w", 0).AttemptStatus.CompletionStatus; a.Source != nil {
		t.Errorf("it was decided by %+v", a.Source)
	}
}

// A rule in shadow needs no plugin, and decides nothing.
func TestRuleInShadow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seen := &shadowCounts{n: map[consult.ShadowOutcome]int{}}
	w.options.Observer = seen
	rules, err := completion.Compile([]completion.RuleSpec{{Code: new(int32(300)), Shadow: true, PodPatterns: []*completion.PodPatternSpec{{}}}})
	require.NoError(t, err)
	w.options.Plugins = consult.New(pluginhost.New(pluginhost.Options{}), rules)
	w.start()
	w.create("a")
	w.eventually("a-w-0", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 9)
	w.reaches("a", v1.Completed)
	w.requireCode("a", 9)
	w.eventually("a difference", func() bool { return seen.count(consult.ShadowOtherCode) == 1 })
}

// remembers is a host with a classifier in shadow and a sink.
type remembers struct {
	tomorrow
	sink *sink
}

func (h remembers) Plugins(kind plugin.Kind) []string {
	if kind == plugin.KindHistorySink {
		return h.sink.Plugins(kind)
	}
	return h.tomorrow.Plugins(kind)
}

func (h remembers) Config(name string) (pluginhost.Config, bool) {
	if c, known := h.sink.Config(name); known {
		return c, known
	}
	return h.tomorrow.Config(name)
}

func (h remembers) CollectsLogs(string) bool { return false }

func (h remembers) Store(ctx context.Context, name string, records []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	return h.sink.Store(ctx, name, records)
}

// shadows returns the verdicts in shadow by the end of their keys.
func (s *sink) shadows() map[string]*pluginpb.ShadowVerdictRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]*pluginpb.ShadowVerdictRecord{}
	for key, r := range s.stored {
		if _, by, found := strings.Cut(key, "/shadow/"); found {
			all[by] = r.GetShadowVerdict()
		}
	}
	return all
}

// The history gets the verdicts in shadow as they arrive: the ones of rules at once, and the one of a plugin after the attempt has ended. A record
// shows what was decided, and what would have been if that differs.
func TestShadowInTheHistory(t *testing.T) {
	t.Parallel()
	var specs []completion.RuleSpec
	require.NoError(t, yaml.Unmarshal([]byte(`[{code: 300, phrase: P, remedy: R, shadow: true, podPatterns: [{containers: [{codeRange: {min: 9, max: 9}}]}]},
		{code: 301, shadow: true, podPatterns: [{containers: [{codeRange: {min: 8, max: 8}}]}]}]`), &specs))
	rules, err := completion.Compile(specs)
	require.NoError(t, err)
	w := newWorld(t)
	let := make(chan struct{})
	h := remembers{tomorrow{let: let}, newSink(t)}
	w.options.Plugins = consult.New(h, rules)
	w.start()
	w.create("a")
	w.eventually("a-w-0", func() bool { return w.Get(apitest.Pods, "a-w-0") != nil })
	w.RunPod("a-w-0")
	w.EndPod("a-w-0", 9)
	w.reaches("a", v1.Completed)
	w.requireCode("a", 9)
	w.eventually("verdicts of the rules", func() bool { return len(h.sink.shadows()) == 2 })
	close(let)
	w.eventually("the verdict of the plugin", func() bool { return len(h.sink.shadows()) == 3 })

	all, task := h.sink.shadows(), w.task("a", "w", 0)
	for by, s := range all {
		require.Equal(t, []any{"w", int32(0), int32(0), task.InstanceUID, string(*task.AttemptStatus.PodUID), int32(9), ""}, []any{s.GetTaskRole(), s.GetTaskIndex(),
			s.GetTaskAttemptId(), s.GetTaskUid(), s.GetPodUid(), s.GetDecision().GetCode(), s.GetDecision().GetDiagnostics()}, by)
	}
	rule, other, judge := all["rule/300"], all["rule/301"], all["plugin/judge"]
	require.Equal(t, []any{"other_code", int32(300), int32(300), "R", ""}, []any{rule.GetOutcome(), rule.GetRule(), rule.GetVerdict().GetCode(), rule.GetVerdict().GetRemedy(), rule.GetPlugin()})
	require.Equal(t, "no_opinion", other.GetOutcome())
	require.Nil(t, other.GetVerdict())
	require.Equal(t, []any{"other_type", "judge", int32(1000), int32(1000)}, []any{judge.GetOutcome(), judge.GetPlugin(), judge.GetVerdict().GetCode(), judge.GetAnswer().GetCode()})
}
