package restore

import (
	"fmt"
	"reflect"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// life is the life of one Framework, around a backup and its restore.
type life struct {
	name string
	// spec is the spec of a Framework that exists at the backup; empty if there is none.
	spec     string
	atBackup func(*v1.Framework) bool
	// since happens between the backup and the restore, which undoes it.
	since turn
	// after happens after the restore, without waiting for a new controller. Without an end, the Framework has to stay as it was at the
	// backup.
	after turn
}

// turn is an act of its user, and its result. Both may be nil.
type turn struct {
	do  func(s *story, name string)
	end func(*v1.Framework) bool // gets nil if there is no Framework
}

var lives = []life{
	{name: "done", spec: role(1, 0, "0s", 0), atBackup: succeeded},
	{name: "untouched", spec: role(2, 0, "", 0), atBackup: running(2, 0)},
	again(life{name: "ends", spec: role(1, 0, "", 0), atBackup: running(1, 0)}, exit(0), succeeded),
	again(life{name: "fails", spec: role(1, 1, "", 0), atBackup: running(1, 0)}, exit(1), running(1, 1)),
	again(life{name: "scaled", spec: role(2, 0, "", 0), atBackup: running(2, 0)}, patch("/spec/taskRoles/0/taskNumber", "4"), running(4, 0)),
	again(life{name: "resumed", spec: suspended(role(1, 0, "0s", 0)), atBackup: idle}, patch("/spec/suspend", "false"), succeeded),
	again(life{name: "deleted", spec: role(1, 0, "", 0), atBackup: running(1, 0)}, (*story).delete, gone),
	again(life{name: "created", atBackup: gone}, create(role(1, 0, "0s", 0)), succeeded),
	{name: "endedonce", spec: role(1, 0, "", 0), atBackup: running(1, 0), since: turn{exit(0), succeeded}},
	{name: "failedonce", spec: role(1, 1, "", 0), atBackup: running(1, 0), since: turn{exit(1), running(1, 1)}},
	{name: "deletedonce", spec: role(1, 0, "", 0), atBackup: running(1, 0), since: turn{(*story).delete, gone}},
	{name: "createdonce", atBackup: gone, since: turn{create(role(2, 0, "", 0)), running(2, 0)}},
	{
		name: "busy", spec: role(2, -2, "300ms", 1), atBackup: retried(1), since: turn{nil, retried(8)},
		after: turn{patch("/spec/executionType", `"Stop"`), stopped},
	},
	{name: "busyonce", atBackup: gone, since: turn{create(role(2, -2, "300ms", 1)), retried(4)}},
}

// again has the same happen before and after the restore.
func again(l life, do func(*story, string), end func(*v1.Framework) bool) life {
	l.since, l.after = turn{do, end}, turn{do, end}
	return l
}

// role renders a Framework with one role. Its Pods end with that code after a while; not at all if that is empty.
func role(tasks, retries int, runFor string, code int) string {
	says := ""
	if runFor != "" {
		says = fmt.Sprintf("simulate.frameworkcontroller.io/run-for: %s, simulate.frameworkcontroller.io/exit-code: %q", runFor, fmt.Sprint(code))
	}
	return fmt.Sprintf(`{taskRoles: [{name: a, taskNumber: %d, task: {retryPolicy: {maxRetryCount: %d}, pod: {metadata: {annotations: {%s}},
		spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}}}]}`, tasks, retries, says)
}

func suspended(spec string) string { return "{suspend: true, " + strings.TrimPrefix(spec, "{") }

func create(spec string) func(*story, string) {
	return func(s *story, name string) { s.create(name, spec) }
}

func exit(code int) func(*story, string) {
	return func(s *story, name string) { s.exit(name, code) }
}

func patch(path, value string) func(*story, string) {
	return func(s *story, name string) {
		s.patch(name, fmt.Sprintf(`[{"op": "add", "path": %q, "value": %s}]`, path, value))
	}
}

func gone(f *v1.Framework) bool { return f == nil }

func succeeded(f *v1.Framework) bool { return hasCode(f, 0) }

func stopped(f *v1.Framework) bool { return hasCode(f, -210) }

func hasCode(f *v1.Framework, code int32) bool {
	if f == nil || f.Status == nil || f.Status.State != v1.Completed {
		return false
	}
	outcome := f.Status.AttemptStatus.CompletionStatus
	return outcome != nil && outcome.Code == code && f.Status.RetryPolicyStatus.TotalRetriedCount == 0
}

// idle has nothing to do, and nothing done.
func idle(f *v1.Framework) bool {
	return f != nil && f.Status != nil && f.Status.State == v1.AttemptCreationPending
}

// running requires n Tasks, all running in that attempt of theirs, in the Framework's first attempt.
func running(n int, attempt int32) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool {
		if f == nil || f.Status == nil || len(tasks(f)) != n || f.Status.AttemptStatus.ID != 0 {
			return false
		}
		for _, task := range tasks(f) {
			if task.State != v1.AttemptRunning || task.AttemptStatus.ID != attempt {
				return false
			}
		}
		return true
	}
}

// retried requires a Task with at least n retries.
func retried(n int32) func(*v1.Framework) bool {
	return func(f *v1.Framework) bool {
		return f != nil && f.Status != nil && len(tasks(f)) > 0 && tasks(f)[0].RetryPolicyStatus.TotalRetriedCount >= n
	}
}

// unchanged is as it was: the same object, whose Tasks have the same attempts and Pods.
func unchanged(then *v1.Framework) func(*v1.Framework) bool {
	return func(now *v1.Framework) bool {
		if then == nil || now == nil {
			return then == nil && now == nil
		}
		return now.UID == then.UID && now.Status != nil && now.Status.State == then.Status.State &&
			reflect.DeepEqual(now.Status.AttemptStatus, then.Status.AttemptStatus)
	}
}
