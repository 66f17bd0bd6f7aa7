package metrics

import (
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var _ controller.Observer = (*Set)(nil)

type subject = controller.Subject

func (s *Set) registerController() {
	r := s.registry
	s.rounds = histograms(r, "round_duration_seconds",
		"Duration of the rounds of Frameworks; each look at a Framework is a round.", roundBuckets, "result")
	s.writes = histograms(r, "status_write_duration_seconds",
		"Duration of the requests that write a status.", requestBuckets, "result")
	s.writeBytes = histogram(r, "status_write_bytes", "Size of the requests that write a status.", sizeBuckets)
	s.actions = histograms(r, "action_duration_seconds",
		"Duration of the requests for Frameworks, such as create_pod.", requestBuckets, "action", "result")
	s.watches = counters(r, "watch_errors_total",
		"Lists and watches that ended with an error and were restarted. Lost connections do not count.", "resource")
	s.attempts, s.retries = map[subject]*prometheus.CounterVec{}, map[subject]*prometheus.CounterVec{}
	for _, of := range []subject{controller.OfFramework, controller.OfTask} {
		plural := map[subject]string{controller.OfFramework: "Frameworks", controller.OfTask: "Tasks"}[of]
		s.attempts[of] = counters(r, string(of)+"_attempts_completed_total", "Completed attempts of "+plural+".", "code", "type")
		s.retries[of] = counters(r, string(of)+"_retries_total",
			"Attempts of "+plural+" that were followed by another attempt.", "accountable")
		s.retries[of].WithLabelValues("true")
		s.retries[of].WithLabelValues("false")
	}
	s.nodesAvoided = counters(r, "nodes_avoided_total",
		"Nodes that Pods of a Framework began to avoid.", "source")
	s.nodesAvoided.WithLabelValues(byPolicy)
	s.nodesAvoided.WithLabelValues(byPlugin)
	s.nodesNeeded = counter(r, "avoided_nodes_needed_total",
		"Avoided nodes that Pods of a Framework may use again, because a Pod found no other node.")
	s.historyDropped = counter(r, "history_records_dropped_total",
		"Records that a sink of the history has not stored, and that nobody waits for any longer. Each sink counts.")
	s.logsMissed = counters(r, "history_logs_not_collected_total",
		"Pods whose logs no sink of the history is known to keep: busy if too many Pods waited, timeout without an answer in time, failed after an error.", "reason")
	for _, why := range controller.AllLogsMissed() {
		s.logsMissed.WithLabelValues(string(why))
	}
	s.shadowVerdicts = counters(r, "plugin_shadow_verdicts_total",
		"Failed Pods about which a classifier in shadow, or a rule by its code, was asked, by how its verdict compares with the one that counts: same, other_type, other_code, other_advice, no_opinion or unanswered.", "plugin", "rule", "outcome")
	s.deletions = counters(r, "deletions_total", "Pods and ConfigMaps that the controller deleted. A later forced deletion of the same Pod counts again; deletions by the garbage collector do not count.", "kind", "cause")
	s.zero()
}

// The sources of requests to avoid a node.
const (
	byPolicy = "policy"
	byPlugin = "plugin"
)

// zero initializes all series that are known in advance, so that the first event is an increase.
func (s *Set) zero() {
	for _, o := range []controller.Outcome{controller.Done, controller.Stale, controller.Failed} {
		s.rounds.WithLabelValues(string(o))
		s.writes.WithLabelValues(string(o))
	}
	s.writes.WithLabelValues(string(controller.Refused))
	for _, action := range controller.Actions() {
		s.actions.WithLabelValues(action, string(controller.Done))
		s.actions.WithLabelValues(action, string(controller.Failed))
	}
	for _, row := range reason.Causes() {
		for _, kind := range reason.Kinds() {
			if row.May(kind) {
				s.deletions.WithLabelValues(string(kind), row.ID)
			}
		}
	}
}

// RoundEnded counts a round.
func (s *Set) RoundEnded(took time.Duration, o controller.Outcome) {
	s.rounds.WithLabelValues(string(o)).Observe(took.Seconds())
}

// StatusWritten counts a write of a status.
func (s *Set) StatusWritten(bytes int, took time.Duration, o controller.Outcome) {
	s.writes.WithLabelValues(string(o)).Observe(took.Seconds())
	s.writeBytes.Observe(float64(bytes))
}

// ActionEnded counts an action.
func (s *Set) ActionEnded(action string, took time.Duration, o controller.Outcome) {
	s.actions.WithLabelValues(action, string(o)).Observe(took.Seconds())
}

// AttemptCompleted counts a completed attempt.
func (s *Set) AttemptCompleted(of controller.Subject, how *v1.CompletionStatus) {
	s.attempts[of].WithLabelValues(s.codes.of(how.Code), typeLabel(how.Type)).Inc()
}

// Retried counts a retry.
func (s *Set) Retried(of controller.Subject, accountable bool) {
	label := "false"
	if accountable {
		label = "true"
	}
	s.retries[of].WithLabelValues(label).Inc()
}

// NodeAvoided counts a node that is avoided.
func (s *Set) NodeAvoided(advised bool) {
	source := byPolicy
	if advised {
		source = byPlugin
	}
	s.nodesAvoided.WithLabelValues(source).Inc()
}

// NodesNeeded counts nodes that may be used again.
func (s *Set) NodesNeeded(number int) { s.nodesNeeded.Add(float64(number)) }

// HistoryDropped counts records that a sink does not have.
func (s *Set) HistoryDropped(records int) { s.historyDropped.Add(float64(records)) }

// LogsNotCollected counts a Pod whose logs are not kept.
func (s *Set) LogsNotCollected(why controller.LogsMissed) {
	s.logsMissed.WithLabelValues(string(why)).Inc()
}

// ShadowVerdict counts what a classifier or a rule in shadow says.
func (s *Set) ShadowVerdict(by consult.InShadow, outcome consult.ShadowOutcome) {
	rule := ""
	if by.Rule != 0 {
		rule = strconv.Itoa(int(by.Rule))
	}
	s.shadowVerdicts.WithLabelValues(by.Plugin, rule, string(outcome)).Inc()
}

// Deleted counts a deleted object.
func (s *Set) Deleted(kind reason.Kind, cause reason.Cause) {
	s.deletions.WithLabelValues(string(kind), cause.String()).Inc()
}

// WatchBroke counts a watch that has failed.
func (s *Set) WatchBroke(resource string) { s.watches.WithLabelValues(resource).Inc() }

// Source provides the values that are collected on a scrape; *controller.Controller implements it.
type Source interface {
	StateCounts() []counts.ByState
	Waiting() []counts.ByReason
	Load() controller.Load
}

// Follow adds the numbers of Frameworks and Tasks, and the current load. It may be called once.
func (s *Set) Follow(source Source) {
	s.registry.MustRegister(population{
		source:     source,
		frameworks: describe("frameworks", "Frameworks now, by their stored state.", "state"),
		tasks:      describe("tasks", "Tasks now, by their stored state.", "state"),
		waiting:    describe("frameworks_waiting", "Frameworks now with a true condition Waiting, by its stored reason.", "reason"),
		rounds:     describe("rounds_under_way", "Rounds that are in progress."),
		actions:    describe("actions_under_way", "Requests for Frameworks that are in progress. At most 32. Without a client rate, requests that take longer than 0.5 s do not count towards the 32; then the limit is 32 for each namespace and 160 in total."),
		queued:     describe("actions_queued", "Requests for Frameworks that wait for their turn."),
	})
}

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(prometheus.BuildFQName(namespace, "", name), help, labels, nil)
}

type population struct {
	source                                              Source
	frameworks, tasks, waiting, rounds, actions, queued *prometheus.Desc
}

func (p population) Describe(descs chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{p.frameworks, p.tasks, p.waiting, p.rounds, p.actions, p.queued} {
		descs <- d
	}
}

func (p population) Collect(metrics chan<- prometheus.Metric) {
	tell := func(d *prometheus.Desc, n int64, labels ...string) {
		metrics <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(n), labels...)
	}
	for _, in := range p.source.StateCounts() {
		tell(p.frameworks, in.Frameworks, string(in.State))
		if in.State != counts.Invalid {
			tell(p.tasks, in.Tasks, string(in.State))
		}
	}
	for _, w := range p.source.Waiting() {
		tell(p.waiting, w.Frameworks, w.Reason)
	}
	load := p.source.Load()
	tell(p.rounds, int64(load.Rounds))
	tell(p.actions, int64(load.Actions))
	tell(p.queued, int64(load.Queued))
}
