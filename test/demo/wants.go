package main

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// wants describes what a Framework asks for: its roles, when it is done, and its retries.
func wants(f *v1.Framework) (lines []string) {
	total, longest := 0, 0
	for _, r := range f.Spec.TaskRoles {
		total += int(r.TaskNumber)
		longest = max(longest, len(r.Name))
	}
	lines = append(lines, fmt.Sprintf("Framework %s has %s in %s.", f.Name, several(total, "Task"), several(len(f.Spec.TaskRoles), "role")))
	for _, r := range f.Spec.TaskRoles {
		lines = append(lines, fmt.Sprintf("  %-*s  %-8s  %s", longest, r.Name, several(int(r.TaskNumber), "Task"), retries(r.Task.RetryPolicy)))
	}
	return append(lines,
		fmt.Sprintf("It succeeds %s.", succeeds(f)),
		fmt.Sprintf("It fails %s.", fails(f)),
		"As a whole: "+retries(f.Spec.RetryPolicy)+".")
}

func several(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// succeeds describes when the attempt is a success.
func succeeds(f *v1.Framework) string {
	var parts []string
	for _, r := range f.Spec.TaskRoles {
		if n := int(r.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount); n > 0 {
			parts = append(parts, several(n, r.Name))
		}
	}
	if len(parts) == 0 {
		return "when all Tasks have ended"
	}
	return "when " + strings.Join(parts, " or ") + " have succeeded, whatever the others do"
}

// fails describes when the attempt is a failure.
func fails(f *v1.Framework) string {
	var parts []string
	for _, r := range f.Spec.TaskRoles {
		if n := int(r.FrameworkAttemptCompletionPolicy.MinFailedTaskCount); n > 0 {
			parts = append(parts, several(n, r.Name))
		}
	}
	if len(parts) == 0 {
		return "never because of its Tasks"
	}
	return "with " + strings.Join(parts, " or ") + " failed for good"
}

// retries describes which failures are retried.
func retries(p v1.RetryPolicySpec) string {
	switch {
	case p.MaxRetryCount == -2:
		return "always tried again, as a service is"
	case p.MaxRetryCount == -1 && p.FancyRetryPolicy:
		return "failures are tried again, unless they are permanent"
	case p.MaxRetryCount == -1:
		return "failures are tried again"
	case p.MaxRetryCount == 0 && p.FancyRetryPolicy:
		return "transient failures are retried, others are not"
	case p.MaxRetryCount == 0:
		return "failures are not tried again"
	case p.FancyRetryPolicy:
		return fmt.Sprintf("transient failures are retried, unknown ones %s", times(p.MaxRetryCount))
	}
	return fmt.Sprintf("failures are tried again %s", times(p.MaxRetryCount))
}

func times(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
