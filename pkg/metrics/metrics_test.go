package metrics

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	clientmetrics "k8s.io/client-go/tools/metrics"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// scene is the state that the metrics observe.
type scene struct {
	states  []counts.ByState
	waiters []counts.ByReason
	load    controller.Load
	health  []pluginhost.Health
	leads   bool
}

func (s *scene) StateCounts() []counts.ByState { return s.states }
func (s *scene) Waiting() []counts.ByReason    { return s.waiters }
func (s *scene) Load() controller.Load         { return s.load }
func (s *scene) Health() []pluginhost.Health   { return s.health }
func (s *scene) Leads() bool                   { return s.leads }

// whole returns a set that follows everything.
func whole(s *scene) *Set {
	m := New(Options{Version: "v9", Codes: []int32{-1000, 42}})
	m.Follow(s)
	m.FollowPlugins(s)
	m.FollowLeader(s.Leads)
	return m
}

func scrape(t *testing.T, m *Set) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if w.Code != 200 {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	return w.Body.String()
}

func requireLines(t *testing.T, page string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+page, "\n"+namespace+"_"+line+"\n") {
			name, _, _ := strings.Cut(strings.NewReplacer("{", " ").Replace(line), " ")
			t.Errorf("no line %s, but:\n%s", line, linesOf(page, namespace+"_"+name))
		}
	}
}

func linesOf(page, prefix string) string {
	var found []string
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, prefix) {
			found = append(found, line)
		}
	}
	return strings.Join(found, "")
}

func TestController(t *testing.T) {
	s := &scene{
		states:  []counts.ByState{{State: v1.AttemptRunning, Frameworks: 2, Tasks: 7}, {State: counts.Invalid, Frameworks: 1}},
		waiters: []counts.ByReason{{Reason: "Unschedulable", Frameworks: 2}, {Reason: "other"}},
		load:    controller.Load{Rounds: 3, Actions: 4, Queued: 5},
	}
	m := whole(s)
	m.RoundEnded(time.Millisecond, controller.Done)
	m.RoundEnded(time.Second, controller.Failed)
	m.StatusWritten(5000, 20*time.Millisecond, controller.Stale)
	m.ActionEnded("create_pod", time.Second, controller.Refused)
	m.Retried(controller.OfTask, true)
	m.Retried(controller.OfFramework, false)
	m.NodeAvoided(true)
	m.NodesNeeded(3)
	m.HistoryDropped(5)
	m.LogsNotCollected(controller.LogsBusy)
	m.ShadowVerdict(consult.InShadow{Plugin: "tomorrow"}, consult.ShadowOtherType)
	m.ShadowVerdict(consult.InShadow{Rule: -1300}, consult.ShadowNoOpinion)
	m.Deleted(reason.Pod, reason.ScaleDown)
	m.WatchBroke("pods")
	page := scrape(t, m)
	requireLines(t, page,
		`frameworks{state="AttemptRunning"} 2`, `tasks{state="AttemptRunning"} 7`, `frameworks{state="Invalid"} 1`,
		`frameworks_waiting{reason="Unschedulable"} 2`, `frameworks_waiting{reason="other"} 0`,
		`rounds_under_way 3`, `plugin_shadow_verdicts_total{outcome="other_type",plugin="tomorrow",rule=""} 1`,
		`plugin_shadow_verdicts_total{outcome="no_opinion",plugin="",rule="-1300"} 1`, `actions_under_way 4`, `actions_queued 5`,
		`round_duration_seconds_count{result="done"} 1`, `round_duration_seconds_bucket{result="failed",le="0.2"} 0`,
		`round_duration_seconds_bucket{result="failed",le="1"} 1`,
		`status_write_duration_seconds_count{result="stale"} 1`, `status_write_duration_seconds_count{result="done"} 0`,
		`status_write_bytes_sum 5000`,
		`action_duration_seconds_sum{action="create_pod",result="refused"} 1`, `action_duration_seconds_count{action="delete_pod",result="done"} 0`,
		`task_retries_total{accountable="true"} 1`, `framework_retries_total{accountable="false"} 1`, `framework_retries_total{accountable="true"} 0`,
		`watch_errors_total{resource="pods"} 1`,
		`nodes_avoided_total{source="plugin"} 1`, `nodes_avoided_total{source="policy"} 0`, `avoided_nodes_needed_total 3`, `history_records_dropped_total 5`,
		`history_logs_not_collected_total{reason="busy"} 1`, `history_logs_not_collected_total{reason="timeout"} 0`,
		`deletions_total{cause="ScaleDown",kind="Pod"} 1`, `deletions_total{cause="AttemptEnded",kind="ConfigMap"} 0`,
	)
	if strings.Contains(page, `tasks{state="Invalid"}`) {
		t.Error("there are invalid Tasks")
	}
	if !strings.Contains(page, "\nframeworkcontroller_build_info{go_version=\"go1.") || !strings.Contains(page, `version="v9"} 1`) {
		t.Error("the build is not told")
	}
	for _, of := range []string{"\ngo_goroutines ", "\nprocess_cpu_seconds_total "} {
		if !strings.Contains(page, of) {
			t.Errorf("no %s", of)
		}
	}
}

// The leader may change while the process runs.
func TestLeader(t *testing.T) {
	s := &scene{}
	m := whole(s)
	requireLines(t, scrape(t, m), "leader 0")
	s.leads = true
	requireLines(t, scrape(t, m), "leader 1")
}

// The number of label values is bounded, whatever containers, users and plugins return.
func TestCompletionsAreBounded(t *testing.T) {
	m := whole(&scene{})
	transient := v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}}
	conflict := v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{v1.AttributeConflict, v1.AttributeTransient}}
	succeeded := completion.Predefined(0, "")
	m.AttemptCompleted(controller.OfFramework, &succeeded)
	for code := range int32(1000) {
		m.AttemptCompleted(controller.OfTask, &v1.CompletionStatus{Code: 1000 + code, Type: transient})
	}
	for _, code := range []int32{42, -1000, 201, -220} {
		m.AttemptCompleted(controller.OfTask, &v1.CompletionStatus{Code: code, Type: conflict})
	}
	m.AttemptCompleted(controller.OfTask, &v1.CompletionStatus{Code: 42, Type: v1.CompletionType{Name: "odd", Attributes: []v1.CompletionTypeAttribute{"odd"}}})
	page := scrape(t, m)
	requireLines(t, page,
		`framework_attempts_completed_total{code="0",type="Succeeded"} 1`,
		`task_attempts_completed_total{code="other",type="FailedTransient"} 1000`,
		`task_attempts_completed_total{code="42",type="FailedTransientConflict"} 1`,
		`task_attempts_completed_total{code="-1000",type="FailedTransientConflict"} 1`,
		`task_attempts_completed_total{code="201",type="FailedTransientConflict"} 1`,
		`task_attempts_completed_total{code="42",type="Failed"} 1`,
	)
	if n := strings.Count(page, "\nframeworkcontroller_task_attempts_completed_total{"); n != 6 {
		t.Errorf("%d series:\n%s", n, linesOf(page, "frameworkcontroller_task_attempts"))
	}
}

func TestPlugins(t *testing.T) {
	s := &scene{health: []pluginhost.Health{
		{Name: "exits", Kind: plugin.KindFailureClassifier, State: pluginhost.Ready, Restarts: 2},
		{Name: "leader", Kind: plugin.KindCompletionPolicy, State: pluginhost.CircuitOpen},
	}}
	m := whole(s)
	m.PluginCalled(pluginhost.Call{Plugin: "exits", Kind: plugin.KindFailureClassifier, Method: "Classify", Questions: 12, Duration: time.Millisecond})
	m.PluginCalled(pluginhost.Call{Plugin: "leader", Kind: plugin.KindCompletionPolicy, Method: "Decide", Questions: 1,
		Duration: 5 * time.Second, Fault: &pluginhost.Fault{Kind: pluginhost.Timeout}})
	requireLines(t, scrape(t, m),
		`plugin_up{kind="FailureClassifier",plugin="exits"} 1`, `plugin_up{kind="CompletionPolicy",plugin="leader"} 0`,
		`plugin_state{kind="CompletionPolicy",plugin="leader",state="CircuitOpen"} 1`,
		`plugin_state{kind="CompletionPolicy",plugin="leader",state="Ready"} 0`,
		`plugin_restarts_total{kind="FailureClassifier",plugin="exits"} 2`,
		`plugin_calls_total{kind="FailureClassifier",method="Classify",plugin="exits",result="answered"} 1`,
		`plugin_questions_total{kind="FailureClassifier",method="Classify",plugin="exits"} 12`,
		`plugin_calls_total{kind="CompletionPolicy",method="Decide",plugin="leader",result="fault"} 1`,
		`plugin_faults_total{kind="CompletionPolicy",plugin="leader",reason="Timeout"} 1`,
		`plugin_call_duration_seconds_sum{kind="CompletionPolicy",method="Decide",plugin="leader"} 5`,
	)
	s.health = s.health[:1]
	if strings.Contains(linesOf(scrape(t, m), namespace+"_plugin_up"), "leader") {
		t.Error("a plugin that is not configured any more is told of")
	}
}

func TestQueue(t *testing.T) {
	m := whole(&scene{})
	q := m.Queue()
	q.NewDepthMetric("").Inc()
	q.NewAddsMetric("").Inc()
	q.NewLatencyMetric("").Observe(0.25)
	q.NewWorkDurationMetric("").Observe(2)
	q.NewUnfinishedWorkSecondsMetric("").Set(3)
	q.NewLongestRunningProcessorSecondsMetric("").Set(4)
	requireLines(t, scrape(t, m), `workqueue_depth 1`, `workqueue_adds_total 1`, `workqueue_queue_duration_seconds_sum 0.25`,
		`workqueue_work_duration_seconds_sum 2`, `workqueue_unfinished_work_seconds 3`,
		`workqueue_longest_running_processor_seconds 4`)
}

// Addresses of requests contain the names of objects, which must not become labels.
func TestClients(t *testing.T) {
	m := whole(&scene{})
	m.FollowClients()
	address := url.URL{Scheme: "https", Host: "10.0.0.1", Path: "/api/v1/namespaces/hidden/pods/hidden"}
	clientmetrics.RequestLatency.Observe(t.Context(), "GET", address, time.Second)
	clientmetrics.RateLimiterLatency.Observe(t.Context(), "GET", address, time.Second)
	clientmetrics.RequestResult.Increment(t.Context(), "200", "GET", "10.0.0.1")
	clientmetrics.RequestRetry.IncrementRetry(t.Context(), "429", "PUT", "10.0.0.1")
	page := scrape(t, m)
	requireLines(t, page, `api_request_duration_seconds_sum{method="GET"} 1`, `api_rate_limit_duration_seconds_sum{method="GET"} 1`,
		`api_requests_total{code="200",method="GET"} 1`, `api_request_retries_total{code="429",method="PUT"} 1`)
	if strings.Contains(page, "hidden") || strings.Contains(page, "10.0.0.1") {
		t.Error("an address is told")
	}
}

func TestHistoryIsPassedOnAndCounted(t *testing.T) {
	m := whole(&scene{})
	var to strings.Builder
	w := m.History(&to)
	for _, line := range []string{"a\n", "bcd\n"} {
		if _, err := w.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.History(broken{}).Write([]byte("lost\n")); err == nil {
		t.Error("the error is lost")
	}
	if to.String() != "a\nbcd\n" {
		t.Errorf("got %q", to.String())
	}
	requireLines(t, scrape(t, m), `history_lines_total 2`, `history_bytes_total 6`)
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

var _ io.Writer = broken{}

// Calls within rounds cost next to nothing, and no memory.
func BenchmarkObserver(b *testing.B) {
	m := whole(&scene{})
	failed := completion.Predefined(completion.CodePodExternalDeleted, "")
	for name, call := range map[string]func(){
		"RoundEnded":       func() { m.RoundEnded(time.Millisecond, controller.Done) },
		"StatusWritten":    func() { m.StatusWritten(5000, time.Millisecond, controller.Done) },
		"ActionEnded":      func() { m.ActionEnded("create_pod", time.Millisecond, controller.Done) },
		"AttemptCompleted": func() { m.AttemptCompleted(controller.OfTask, &failed) },
		"Retried":          func() { m.Retried(controller.OfTask, true) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				call()
			}
		})
	}
}

func BenchmarkScrape(b *testing.B) {
	m := whole(&scene{})
	h := m.Handler()
	for b.Loop() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/metrics", nil))
	}
}
