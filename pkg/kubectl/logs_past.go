package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// keptLogs are the flags for logs of the history.
type keptLogs struct {
	looking
	taskAttempt  int32
	firstFailure bool
	around       time.Duration
	// given reports whether a flag was set.
	given func(name string) bool
}

func (l *keptLogs) addFlags(cmd *cobra.Command) {
	l.looking.addFlags(cmd)
	f := cmd.Flags()
	f.Int32Var(&l.taskAttempt, "task-attempt", -1, "Number of the attempt of the Task, from 0. By default it is the last one that is kept.")
	f.BoolVar(&l.firstFailure, "first-failure", false, "Print which Task failed first, and the lines of all Tasks around that time.")
	f.DurationVar(&l.around, "around", 2*time.Minute, "With --first-failure: how far lines may be from the failure, before and after it.")
	l.given = f.Changed
}

// wantsHistory reports whether flags ask for logs that only the history may have.
func (l *keptLogs) wantsHistory() bool {
	return l.firstFailure || l.number >= 0 || l.taskAttempt >= 0 || l.uid != ""
}

func (l *keptLogs) check(chosen []string, follow bool) error {
	switch {
	case follow && l.wantsHistory():
		return errors.New("-f follows the logs of Pods: leave out --attempt, --task-attempt, --uid and --first-failure")
	case l.given("around") && !l.firstFailure:
		return errors.New("--around is about a failure: add --first-failure")
	case l.firstFailure && len(chosen) > 0:
		return errors.New("--first-failure prints the lines of all Tasks: leave out the roles and Tasks")
	case l.firstFailure && l.around <= 0:
		return errors.New("--around is not more than 0")
	case l.firstFailure && l.around > time.Hour:
		return errors.New("--around is 1h at most")
	}
	return nil
}

// keptOf is the Framework whose kept logs are printed.
type keptOf struct {
	*past
	name, uid string
	// attempt of the Framework; nil for the newest with a kept log.
	attempt *int32
}

// aboutLogs explains an error of the history server about logs, with the way out.
func (k *keptOf) aboutLogs(err error) error {
	var refusal *historyclient.Refusal
	if errors.As(err, &refusal) {
		switch refusal.Status {
		case http.StatusForbidden:
			return fmt.Errorf("the history server refuses: %w; kept logs need the verb get on frameworks and on pods/log, which are in the role view: ask an administrator for it", err)
		case http.StatusNotFound:
			return fmt.Errorf("%w; kubectl framework history %s -n %s shows what the history has", err, k.name, k.namespace)
		}
	}
	return k.inPlainWords(err)
}

// printKept prints the kept logs of the chosen roles and Tasks, or of all. If one cannot be read, the others are still printed.
func (l *logging) printKept(ctx context.Context, of keptOf, chosen []string) error {
	kept, err := l.allKept(ctx, of, chosen)
	switch {
	case err != nil:
		return of.aboutLogs(err)
	case len(kept) == 0:
		return fmt.Errorf("the history has no log of these Tasks of Framework %s: kubectl framework history %s -n %s shows how they ended", of.name, of.name, of.namespace)
	case len(kept) == 1:
		return of.aboutLogs(l.printOne(ctx, of, &kept[0]))
	}
	for i := range kept {
		var refusal *historyclient.Refusal
		switch oneErr := l.printOne(ctx, of, &kept[i]); {
		case errors.As(oneErr, &refusal) && refusal.Status == http.StatusNotFound:
			err = errors.New("some logs could not be read")
			fmt.Fprintf(l.ErrOut, "warning: %v\n", oneErr)
		case oneErr != nil:
			return of.aboutLogs(oneErr)
		}
	}
	return err
}

// allKept returns the logs to print. A Task without any is among them: the server knows why.
func (l *logging) allKept(ctx context.Context, of keptOf, chosen []string) (all []historyapi.Log, err error) {
	if len(chosen) == 0 {
		chosen = []string{""}
	}
	for _, arg := range chosen {
		role, index, err := parsePastTarget(arg)
		if err != nil {
			return nil, err
		}
		kept, err := l.keptLogs.list(ctx, of, role, index)
		if err != nil {
			return nil, err
		}
		if kept = l.chosenOf(kept); len(kept) == 0 && index != nil {
			kept = []historyapi.Log{{Role: role, Index: *index, Container: l.container}}
		}
		all = append(all, kept...)
	}
	return all, nil
}

// list returns the kept logs of the last attempt of each Task, or of the attempt that the flags name.
func (l *keptLogs) list(ctx context.Context, of keptOf, role string, index *int32) (kept []historyapi.Log, err error) {
	filter := historyclient.Filter{UID: of.uid, Attempt: of.attempt, Role: role, Index: index}
	newest := map[string]int32{}
	attempt := int32(-1)
	err = of.Logs(ctx, of.namespace, of.name, filter, func(k historyapi.Log) error {
		if attempt < 0 {
			attempt = k.FrameworkAttempt // the newest attempt is first
		}
		if k.FrameworkAttempt == attempt && (l.taskAttempt < 0 || k.Attempt == l.taskAttempt) {
			kept = append(kept, k)
			name := explain.TaskName(k.Role, k.Index)
			newest[name] = max(newest[name], k.Attempt)
		}
		return nil
	})
	kept = slices.DeleteFunc(kept, func(k historyapi.Log) bool { return k.Attempt < newest[explain.TaskName(k.Role, k.Index)] })
	return kept, err
}

// chosenOf returns the logs to print, in the order of roles and indices: of the init containers and the main container, or of the
// container that is named.
func (l *logging) chosenOf(kept []historyapi.Log) (chosen []historyapi.Log) {
	main := map[string]bool{}
	slices.SortStableFunc(kept, func(a, b historyapi.Log) int {
		return cmp.Or(cmp.Compare(a.Role, b.Role), cmp.Compare(a.Index, b.Index), initFirst(a.Init, b.Init))
	})
	for _, k := range kept {
		name := explain.TaskName(k.Role, k.Index)
		switch {
		case k.Previous != l.previous, l.container != "" && k.Container != l.container:
			continue
		case l.container == "" && !k.Init && main[name]:
			continue
		case l.container == "" && !k.Init:
			main[name] = true
			k.Container = "" // the server knows which one is the first
		}
		chosen = append(chosen, k)
	}
	return chosen
}

// initFirst puts init containers before the others.
func initFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// printOne prints one log.
func (l *logging) printOne(ctx context.Context, of keptOf, k *historyapi.Log) error {
	q := historyclient.LogQuery{UID: of.uid, Attempt: of.attempt, Container: k.Container, Previous: l.previous, TailLines: l.tail, Timestamps: l.timestamps}
	if l.since > 0 {
		q.Since = time.Now().Add(-l.since)
	}
	switch {
	case k.Pod != "":
		q.Attempt, q.TaskAttempt = &k.FrameworkAttempt, &k.Attempt
	case l.taskAttempt >= 0:
		q.TaskAttempt = &l.taskAttempt
	}
	stream, err := of.Log(ctx, of.namespace, of.name, k.Role, k.Index, q)
	if err != nil {
		return err
	}
	defer stream.Close()
	title := explain.TaskName(k.Role, k.Index)
	if k.Init {
		title += " " + k.Container
	}
	return l.copy(title, k.Index, stream)
}
