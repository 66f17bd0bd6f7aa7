package store

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// attemptKey is an attempt of a Framework.
type attemptKey struct {
	fw      int64
	attempt int32
}

// usageKey and nodeKey are the primary keys of their tables.
type usageKey struct {
	fw      int64
	attempt int32
	day     int64
	role    string
	outcome int64
	request int64
}

type nodeKey struct {
	day     int64
	node    string
	request int64
}

// countKey is the primary key of outcome_count.
type countKey struct {
	day             int64
	namespace       string
	node, role      string
	outcome, images int64
}

type usageSum struct {
	attempts, run, retried, wait, start int64
	firstEnded                          int64
	firstIndex                          int32
}

type nodeSum struct{ attempts, failed, run, lost, wait, start int64 }

// taskSum is the contribution of one attempt of a Task to the sums.
type taskSum struct {
	usage            usageKey
	node             nodeKey
	count            countKey
	index            int32
	began, ended     int64
	run, wait, start int64
	failed, follows  bool
}

func (b *batch) sum(t item[*pluginpb.TaskAttemptRecord]) taskSum {
	r := t.record
	s := taskSum{index: r.GetTaskIndex(), ended: atOr(r.GetEnded(), t.time), follows: r.GetRetry().GetFollows(),
		failed: hasFailed(&historyapi.Completion{Code: r.GetCompletion().GetCode(), Phrase: r.GetCompletion().GetPhrase(),
			Type: r.GetCompletion().GetType().GetName()})}
	s.began = atOr(r.GetBegan(), s.ended)
	if scheduled := at(r.GetScheduled()); scheduled != nil {
		s.wait, s.run = between(s.began, *scheduled), between(*scheduled, s.ended)
		s.start = between(*scheduled, atOr(r.GetRan(), s.ended))
	} else {
		s.wait = between(s.began, s.ended)
	}
	request := b.known.request(r.GetRequests())
	s.usage = usageKey{t.fw.id, t.attempt, dayOf(s.ended), name(r.GetTaskRole()), b.known.outcome(r.GetCompletion()), request}
	s.node = nodeKey{s.usage.day, name(r.GetNode()), request}
	s.count = countKey{s.usage.day, t.fw.namespace, s.node.node, s.usage.role, s.usage.outcome, b.known.imagesOf(r.GetContainers())}
	return s
}

// addUsage adds an attempt of a Task. Its Framework's attempt may be known to be lost.
func (b *batch) addUsage(s taskSum, frameworkFollows bool) {
	u := b.usage[s.usage]
	if u == nil {
		u = &usageSum{firstEnded: s.ended, firstIndex: s.index}
		b.usage[s.usage] = u
	}
	u.attempts, u.run, u.wait, u.start = u.attempts+1, u.run+s.run, u.wait+s.wait, u.start+s.start
	if s.follows {
		u.retried += s.run
	}
	if s.ended < u.firstEnded || s.ended == u.firstEnded && s.index < u.firstIndex {
		u.firstEnded, u.firstIndex = s.ended, s.index
	}
	b.outcomeCounts[s.count]++
	n := b.onNode(s.node)
	n.attempts, n.run, n.wait, n.start = n.attempts+1, n.run+s.run, n.wait+s.wait, n.start+s.start
	if s.failed {
		n.failed++
	}
	if s.follows || frameworkFollows {
		n.lost += s.run
	}
}

func (b *batch) onNode(key nodeKey) *nodeSum {
	n := b.nodeUsage[key]
	if n == nil {
		n = &nodeSum{}
		b.nodeUsage[key] = n
	}
	return n
}

// attemptsFollowed returns the attempts of Frameworks of the batch's Tasks that were stored earlier, and are followed by another.
func (b *batch) attemptsFollowed(w *writing) (map[attemptKey]bool, error) {
	follows, keys := map[attemptKey]bool{}, [][]any{}
	for _, t := range b.tasks {
		key := attemptKey{t.fw.id, t.attempt}
		if _, asked := follows[key]; !asked {
			follows[key] = false
			keys = append(keys, []any{key.fw, key.attempt})
		}
	}
	err := w.among("SELECT fw, attempt FROM framework_attempt WHERE follows AND (fw, attempt)", keys, func(r *sql.Rows) error {
		var key attemptKey
		err := r.Scan(&key.fw, &key.attempt)
		follows[key] = true
		return err
	})
	return follows, err
}

// addLost counts as lost the time that Tasks of these attempts ran, except for Tasks whose own retry has counted already. It runs after the
// Tasks of the batch were stored, so that it finds them.
func (b *batch) addLost(w *writing, attempts map[attemptKey]bool) error {
	var keys [][]any
	for key := range attempts {
		keys = append(keys, []any{key.fw, key.attempt})
	}
	const query = "SELECT ended, node, request, run_ms FROM task_attempt WHERE NOT follows AND (fw, fw_attempt)"
	return w.among(query, keys, func(r *sql.Rows) error {
		var node nodeKey
		var ended, run int64
		if err := r.Scan(&ended, &node.node, &node.request, &run); err != nil {
			return err
		}
		node.day = dayOf(ended)
		b.onNode(node).lost += run
		return nil
	})
}

var usageTable = into{"usage", "fw, fw_attempt, day, role, outcome, request, attempts, run_ms, retried_ms, wait_ms, start_ms, " +
	"first_ended, first_idx", `ON CONFLICT (fw, fw_attempt, day, role, outcome, request) DO UPDATE SET ` +
	setSums("usage", "attempts, run_ms, retried_ms, wait_ms, start_ms") + `,
	first_idx = CASE WHEN (excluded.first_ended, excluded.first_idx) < (usage.first_ended, usage.first_idx)
		THEN excluded.first_idx ELSE usage.first_idx END,
	first_ended = CASE WHEN excluded.first_ended < usage.first_ended THEN excluded.first_ended ELSE usage.first_ended END`}

var nodeUsageTable = into{"node_usage", "day, node, request, attempts, failed, run_ms, lost_ms, wait_ms, start_ms",
	"ON CONFLICT (day, node, request) DO UPDATE SET " + setSums("node_usage", "attempts, failed, run_ms, lost_ms, wait_ms, start_ms")}

var outcomeCountTable = into{"outcome_count", "day, namespace, node, role, outcome, images, attempts",
	"ON CONFLICT (day, namespace, node, role, outcome, images) DO UPDATE SET " + setSums("outcome_count", "attempts")}

// setSums adds the columns of a row that could not be inserted to the stored ones.
func setSums(table, columns string) string {
	var all []string
	for _, c := range strings.Split(columns, ", ") {
		all = append(all, fmt.Sprintf("%[2]s = %[1]s.%[2]s + excluded.%[2]s", table, c))
	}
	return strings.Join(all, ", ")
}

// sumUp adds the sums of the batch to the stored ones. Sums over all Frameworks are in the order of their keys. Sums of one Framework need
// no order: its row is locked.
func (b *batch) sumUp(w *writing) error {
	var rows [][]any
	for k, u := range b.usage {
		rows = append(rows, []any{k.fw, k.attempt, k.day, k.role, k.outcome, k.request,
			u.attempts, u.run, u.retried, u.wait, u.start, u.firstEnded, u.firstIndex})
	}
	if err := w.insert(usageTable, rows, nil); err != nil {
		return err
	}
	rows = nil
	for _, k := range slices.SortedFunc(maps.Keys(b.nodeUsage), func(a, b nodeKey) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.node, b.node), cmp.Compare(a.request, b.request))
	}) {
		n := b.nodeUsage[k]
		rows = append(rows, []any{k.day, k.node, k.request, n.attempts, n.failed, n.run, n.lost, n.wait, n.start})
	}
	if err := w.insert(nodeUsageTable, rows, nil); err != nil {
		return err
	}
	rows = nil
	for _, k := range slices.SortedFunc(maps.Keys(b.outcomeCounts), func(a, b countKey) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.node, b.node), cmp.Compare(a.role, b.role),
			cmp.Compare(a.outcome, b.outcome), cmp.Compare(a.images, b.images))
	}) {
		rows = append(rows, []any{k.day, k.namespace, k.node, k.role, k.outcome, k.images, b.outcomeCounts[k]})
	}
	return w.insert(outcomeCountTable, rows, nil)
}
