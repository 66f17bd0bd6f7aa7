package kubectl

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/ended"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// pastAttempt is an ended attempt of a Framework, as stored by the history server.
type pastAttempt struct{ ended.Attempt }

// stored returns the Framework as it was at the end of the attempt.
func (a *pastAttempt) stored() *stored {
	s := &stored{Framework: *a.Framework()}
	s.fillCounts()
	return s
}

// attempt reads an attempt of a Framework; the newest one if it is negative.
func (p *past) attempt(ctx context.Context, name, uid string, number int32) (*pastAttempt, error) {
	d, err := p.Framework(ctx, p.namespace, name, uid)
	if err != nil {
		return nil, err
	}
	chosen, err := ended.Choose(&d, number)
	if err != nil {
		return nil, err
	}
	a := &pastAttempt{*chosen}
	of := historyclient.Filter{UID: d.Framework.UID, Attempt: &a.ID}
	_, err = p.TasksOf(ctx, p.namespace, name, of, 0, func(t historyapi.TaskAttempt) error {
		a.TaskAttempts = append(a.TaskAttempts, t)
		return nil
	})
	ended.Sort(a.TaskAttempts)
	return a, err
}

// detailed reads the containers of an attempt of a Task, which lists lack.
func (p *past) detailed(ctx context.Context, a *pastAttempt, role string, index int32) error {
	of := historyclient.Filter{UID: a.Of.UID, Attempt: &a.ID, Role: role, Index: &index}
	_, err := p.TasksOf(ctx, p.namespace, a.Of.Name, of, 0, func(t historyapi.TaskAttempt) error {
		for i := range a.TaskAttempts {
			if a.TaskAttempts[i].PodUID == t.PodUID && a.TaskAttempts[i].Pod == t.Pod && a.TaskAttempts[i].Attempt == t.Attempt {
				a.TaskAttempts[i] = t
			}
		}
		return nil
	})
	return err
}

// firstFailure reads which Task failed first; nil if no Task failed.
func (p *past) firstFailure(ctx context.Context, a *pastAttempt) (*historyapi.FirstFailure, error) {
	f, err := p.FirstFailure(ctx, p.namespace, a.Of.Name, a.Of.UID, &a.ID)
	var refusal *historyclient.Refusal
	switch {
	case errors.As(err, &refusal) && refusal.Status == 404: // no Task has ended in it
		return nil, nil
	case err != nil || f.Task == nil:
		return nil, err
	}
	return &f, nil
}

// parseTarget parses ROLE, ROLE/INDEX or ROLE-INDEX. If there is no such target, the error lists the existing roles.
func (a *pastAttempt) parseTarget(arg string) (target, error) {
	role, index, err := parsePastTarget(arg)
	if err != nil {
		return target{}, err
	}
	var roles []string
	about, found := target{role, -1}, false
	if index != nil {
		about.index = *index
	}
	for i := range a.TaskAttempts {
		t := &a.TaskAttempts[i]
		found = found || t.Role == role && (index == nil || t.Index == *index)
		if !slices.Contains(roles, t.Role) {
			roles = append(roles, t.Role)
		}
	}
	switch {
	case found:
		return about, nil
	case slices.Contains(roles, role):
		return about, fmt.Errorf("no Task %s has ended in attempt %d of Framework %s, as far as the history knows", explain.TaskName(role, *index), a.ID, a.Of.Name)
	}
	return about, fmt.Errorf("attempt %d of Framework %s has no role %q in the history: %s", a.ID, a.Of.Name, role, theRoles(roles))
}

// earlierAttempts returns the earlier attempts of the Framework as a tree has them.
func (a *pastAttempt) earlierAttempts() (all []earlier) {
	for i := range a.Earlier {
		e := &a.Earlier[i]
		all = append(all, earlierOf(e.ID, e.Completion.Code, e.Completion.Phrase, ""))
	}
	return all
}
