package server

import (
	"context"
	"errors"
	"net/http"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/explained"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

const (
	// explainPage is the number of attempts of Tasks that an explanation reads at once, and mostExplained how many it reads at most: Tasks
	// beyond these are not counted.
	explainPage   = 5_000
	mostExplained = 50_000
)

// explain answers with the statements of kubectl framework explain about the past.
func (s *Server) explain(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	role, index := v.Get("role"), v.number("index")
	if (role == "") != (index == nil) {
		return nil, problem(http.StatusBadRequest, "parameters role and index: give both or none")
	}
	detail, err := s.store.Framework(r.Context(), namespace, name, v.Get("uid"))
	if err != nil {
		return nil, queryError(err)
	}
	number := int32(-1)
	if n := v.number("attempt"); n != nil {
		number = *n
	}
	a, err := ended.Choose(detail, number)
	if err != nil {
		return nil, problem(http.StatusNotFound, "%v", err)
	}
	e := explaining{store: s.store, Attempt: a}
	now, deleted := s.now(), detail.Framework.State == historyapi.StateDeleted
	var answer explain.Answer
	if index != nil {
		a.TaskAttempts, err = e.task(r.Context(), role, *index)
		answer = explain.PastTaskOf(a.Facts(deleted, now), role, *index)
	} else {
		var first *historyapi.FirstFailure
		first, err = e.whole(r.Context())
		facts := a.Facts(deleted, now)
		facts.First = ended.FirstFailure(first)
		answer = explain.PastFramework(facts)
	}
	if err != nil {
		return nil, queryError(err)
	}
	return explained.Explanation(answer, a.ID, now)
}

// explaining reads the facts of an explanation.
type explaining struct {
	store *store.Store
	*ended.Attempt
}

// whole reads the last attempt of each Task, all attempts of the Task that decided, and the first failure; nil if no Task failed.
func (e explaining) whole(ctx context.Context) (*historyapi.FirstFailure, error) {
	var err error
	if e.TaskAttempts, err = e.lastOfTasks(ctx); err != nil {
		return nil, err
	}
	if e.TriggerRole != "" && e.TriggerIndex != nil {
		detailed, err := e.task(ctx, e.TriggerRole, *e.TriggerIndex)
		if err != nil {
			return nil, err
		}
		kept := detailed
		for i := range e.TaskAttempts {
			if t := &e.TaskAttempts[i]; t.Role != e.TriggerRole || t.Index != *e.TriggerIndex {
				kept = append(kept, *t)
			}
		}
		e.TaskAttempts = kept
	}
	ended.Sort(e.TaskAttempts)
	first, err := e.store.FirstFailure(ctx, e.Of.Namespace, e.Of.Name, e.Of.UID, &e.ID)
	if errors.Is(err, store.ErrNoneEnded) {
		return nil, nil
	}
	return &first, err
}

// lastOfTasks reads the last attempt of each Task. The store has the last that ended first.
func (e explaining) lastOfTasks(ctx context.Context) (all []historyapi.TaskAttempt, err error) {
	type task struct {
		role  string
		index int32
	}
	seen := map[task]bool{}
	q := store.TaskQuery{Namespace: e.Of.Namespace, Name: e.Of.Name, UID: e.Of.UID, Attempt: &e.ID, Limit: explainPage}
	for read := 0; read < mostExplained; read += explainPage {
		page, err := e.store.Tasks(ctx, q)
		if err != nil {
			return nil, err
		}
		for i := range page.Items {
			t := &page.Items[i]
			if of := (task{t.Role, t.Index}); !seen[of] {
				seen[of] = true
				all = append(all, *t)
			}
		}
		if q.After = page.Next; q.After == "" || len(all) >= int(e.FrameworkAttempt.Tasks) {
			break
		}
	}
	return all, nil
}

// task reads the attempts of a Task with their containers, in the order of their ends.
func (e explaining) task(ctx context.Context, role string, index int32) ([]historyapi.TaskAttempt, error) {
	page, err := e.store.Tasks(ctx, store.TaskQuery{Namespace: e.Of.Namespace, Name: e.Of.Name, UID: e.Of.UID, Attempt: &e.ID, Role: role, Index: &index,
		Details: true, Limit: mostLimit})
	ended.Sort(page.Items)
	return page.Items, err
}
