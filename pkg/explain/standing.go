package explain

import (
	"fmt"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Standing is how a Task stands, in one word. Each Task has one at a time.
type Standing string

// The standings, in the order in which they are told.
const (
	Running   Standing = "Running"
	Starting  Standing = "Starting"  // its Pod is not running yet
	Retrying  Standing = "Retrying"  // an attempt is over, and the next one is about to begin
	Ending    Standing = "Ending"    // its outcome is known, and its Pod is on its way out
	Removing  Standing = "Removing"  // a scale-down removes it
	Succeeded Standing = "Succeeded" // for good
	Failed    Standing = "Failed"    // for good, by itself
	CutShort  Standing = "CutShort"  // it had not ended when the attempt of the Framework did
)

// Standings returns all of them, in the order in which they are told.
func Standings() []Standing {
	return []Standing{Running, Starting, Retrying, Ending, Removing, Succeeded, Failed, CutShort}
}

// StandingOf returns how a Task stands.
func StandingOf(t *v1.TaskStatus) Standing {
	if t.DeletionPending {
		return Removing
	}
	switch t.State {
	case v1.AttemptRunning:
		return Running
	case v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing:
		return Starting
	case v1.AttemptCompleted:
		return Retrying
	case v1.Completed:
		return outcomeOf(t.AttemptStatus.CompletionStatus)
	}
	return Ending
}

func outcomeOf(s *v1.TaskAttemptCompletionStatus) Standing {
	switch {
	case s == nil || s.Type.Name == v1.CompletionSucceeded:
		return Succeeded
	case completion.IsPredefined(s.CompletionStatus, completion.CodeFrameworkAttemptCompletion):
		return CutShort
	}
	return Failed
}

// verbs say of one Task, and of several, how they stand.
var verbs = map[Standing][2]string{
	Running:   {"is running", "are running"},
	Starting:  {"is starting", "are starting"},
	Retrying:  {"waits to be tried again", "wait to be tried again"},
	Ending:    {"is ending", "are ending"},
	Removing:  {"is being removed", "are being removed"},
	Succeeded: {"has succeeded", "have succeeded"},
	Failed:    {"has failed", "have failed"},
	CutShort:  {"was cut short", "were cut short"},
}

// countOf says how so many Tasks stand: "2 are running and 1 has failed".
func countOf(counts map[Standing]int) string {
	var parts []string
	for _, s := range Standings() {
		switch n := counts[s]; {
		case n == 1:
			parts = append(parts, "1 "+verbs[s][0])
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, verbs[s][1]))
		}
	}
	return listed(parts)
}

// listed joins the parts of an enumeration as English does.
func listed(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	last := len(parts) - 1
	return strings.Join(parts[:last], ", ") + " and " + parts[last]
}

// inOneStanding says how Tasks stand that all stand alike.
func inOneStanding(n int, s Standing) string {
	switch n {
	case 1:
		return "Its only Task " + verbs[s][0]
	case 2:
		return "Both of its Tasks " + verbs[s][1]
	}
	return fmt.Sprintf("All of its %d Tasks %s", n, verbs[s][1])
}

// tasksOf says how Tasks stand.
func tasksOf(tasks []v1.TaskStatus, owner string) string {
	counts := countsOf(tasks)
	for s, n := range counts {
		if n == len(tasks) {
			return inOneStanding(n, s) + "."
		}
	}
	return fmt.Sprintf("Of the %d Tasks of %s, %s.", len(tasks), owner, countOf(counts))
}

func countsOf(tasks []v1.TaskStatus) map[Standing]int {
	counts := map[Standing]int{}
	for i := range tasks {
		counts[StandingOf(&tasks[i])]++
	}
	return counts
}

func (t *telling) counts() map[Standing]int { return countsOf(t.all()) }

// all are the Tasks of all roles.
func (t *telling) all() []v1.TaskStatus {
	var tasks []v1.TaskStatus
	for _, role := range t.status.AttemptStatus.TaskRoleStatuses {
		tasks = append(tasks, role.TaskStatuses...)
	}
	return tasks
}
