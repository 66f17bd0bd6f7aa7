package kubectl

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

const succeeded = string(v1.CompletionSucceeded)

// outcomeRow is a number of attempts of Tasks that ended alike.
type outcomeRow struct {
	rank                outcomeRank
	role, outcome, kind string
	times               int64
	// first is the Task with the first of these outcomes.
	first string
	ended time.Time
}

// outcomeRank orders outcomes by how much they explain the end of an attempt.
type outcomeRank int

const (
	trigger outcomeRank = iota
	permanent
	unknownFailure
	transient
	endedByOthers
	success
)

// outcomesOf returns the outcomes in an attempt of a Framework, the most significant first.
func outcomesOf(a *historyapi.FrameworkAttempt, all []historyapi.OutcomeCount) (rows []outcomeRow) {
	for _, o := range all {
		if o.FrameworkAttempt == a.ID {
			kind := kindOf(&historyapi.Completion{Code: o.Code, Phrase: o.Phrase, Type: o.Type, Attributes: o.Attributes})
			rows = append(rows, outcomeRow{rankOf(a, &o), o.Role, outcome(o.Code, o.Phrase, o.Type), kind,
				o.Count, explain.TaskName(o.Role, o.FirstIndex), o.FirstEnded})
		}
	}
	slices.SortStableFunc(rows, func(a, b outcomeRow) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), a.ended.Compare(b.ended), cmp.Compare(a.role, b.role))
	})
	return rows
}

func rankOf(a *historyapi.FrameworkAttempt, o *historyapi.OutcomeCount) outcomeRank {
	switch {
	case o.Role == a.TriggerRole && o.Code == a.Completion.Code:
		return trigger
	case o.Type == succeeded:
		return success
	case isEndedByOthers(o):
		return endedByOthers // mostly Tasks that were cut short because the attempt was over
	case slices.Contains(o.Attributes, string(v1.AttributePermanent)):
		return permanent
	case slices.Contains(o.Attributes, string(v1.AttributeTransient)), slices.Contains(o.Attributes, string(v1.AttributeConflict)):
		return transient
	}
	return unknownFailure
}

func isEndedByOthers(o *historyapi.OutcomeCount) bool {
	status := v1.CompletionStatus{Code: o.Code, Phrase: o.Phrase, Type: v1.CompletionType{Name: v1.CompletionTypeName(o.Type)}}
	entry, predefined := completion.EntryOf(status)
	return predefined && entry.EndedByOthers
}

// mostFolded limits the outcomes that a folded row names.
const mostFolded = 3

// foldTransient puts the transient failures on one row: in the history of a long job they are the most frequent, and the least significant.
func foldTransient(rows []outcomeRow) []outcomeRow {
	from := slices.IndexFunc(rows, func(r outcomeRow) bool { return r.rank == transient })
	if from < 0 {
		return rows
	}
	to := from
	for to < len(rows) && rows[to].rank == transient {
		to++
	}
	if to-from < 2 {
		return rows
	}
	folded := rows[from] // its end is the first one
	var roles, outcomes []string
	folded.times = 0
	for _, r := range rows[from:to] {
		folded.times += r.times
		if !slices.Contains(roles, r.role) {
			roles = append(roles, r.role)
		}
		if !slices.Contains(outcomes, r.outcome) {
			outcomes = append(outcomes, r.outcome)
		}
	}
	if left := len(outcomes) - mostFolded; left > 0 {
		outcomes = append(outcomes[:mostFolded], fmt.Sprintf("%d more", left))
	}
	folded.role, folded.outcome, folded.kind = strings.Join(roles, ", "), strings.Join(outcomes, ", "), string(v1.AttributeTransient)
	return slices.Concat(rows[:from], []outcomeRow{folded}, rows[to:])
}
