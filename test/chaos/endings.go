package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// there returns the existing Frameworks, by name.
func (s *stage) there(ctx context.Context) (map[string]*v1.Framework, error) {
	list, err := s.users.frameworks.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	there := map[string]*v1.Framework{}
	for i := range list.Items {
		f, err := checker.DecodeFramework(&list.Items[i])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", list.Items[i].GetName(), err)
		}
		there[f.Name] = f
	}
	return there, nil
}

// differences returns the Frameworks whose end differs from their plan.
func (s *stage) differences(ctx context.Context) ([]string, error) {
	there, err := s.there(ctx)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, p := range s.plans {
		var status *v1.FrameworkStatus
		f, exists := there[p.name]
		if exists {
			status = f.Status
		}
		taken := s.injector.tookFrom(p.name)
		d := p.want.compare(status, exists, taken)
		if len(d) == 0 && p.left != nil {
			d = p.left.kept(status)
		}
		if len(d) > 0 {
			out = append(out, fmt.Sprintf("%s: %s (others deleted %d of its objects)", p.name, strings.Join(d, "; "), taken))
		}
	}
	return out, nil
}

// endings describes how each Framework has ended, without what faults may change.
func (s *stage) endings(ctx context.Context) (map[string]string, error) {
	there, err := s.there(ctx)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, p := range s.plans {
		out[p.name] = ending(there[p.name])
	}
	return out, nil
}

// ending has the code, and how many Tasks there are. Which there are when one is stopped depends on the moment.
func ending(f *v1.Framework) string {
	switch {
	case f == nil:
		return "gone"
	case f.Status == nil || f.Status.AttemptStatus.CompletionStatus == nil:
		return "not ended"
	}
	code := f.Status.AttemptStatus.CompletionStatus.Code
	out := fmt.Sprintf("code=%d", code)
	if code == stoppedCode {
		return out
	}
	for _, role := range f.Status.AttemptStatus.TaskRoleStatuses {
		tasks := slices.DeleteFunc(slices.Clone(role.TaskStatuses), func(t v1.TaskStatus) bool { return t.DeletionPending })
		if len(tasks) > 0 { // a role being removed may stay without Tasks
			out += fmt.Sprintf(" %s=%d", role.Name, len(tasks))
		}
	}
	return out
}

// compareWithRehearsal returns the Frameworks that have ended differently from the rehearsal.
func (s *stage) compareWithRehearsal(endings map[string]string) (out []string) {
	if s.rehearsed == nil {
		return nil
	}
	for _, p := range s.plans {
		is, was := endings[p.name], s.rehearsed[p.name]
		out = append(out, differences(is == was, "%s has ended with %s, and without faults with %s", p.name, is, was)...)
	}
	fmt.Printf("rehearsal  %d of %d Frameworks have ended as they had without faults\n", len(s.plans)-len(out), len(s.plans))
	return out
}
