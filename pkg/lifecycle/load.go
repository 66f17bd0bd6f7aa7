package lifecycle

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ErrStatusInvalid is the error of Load: the status is inconsistent, so nothing may be decided from it.
var ErrStatusInvalid = errors.New("status is not one that a controller can have written")

// Load returns the state of a stored status; nil for nil. The status must be decompressed, and is not changed. Load accepts
// every status that the original controller leaves behind, also without instance UIDs of roles and Tasks. Its error is
// an ErrStatusInvalid that names the field (decisions, "Status edited by hand").
func Load(stored *v1.FrameworkStatus) (*State, error) {
	if stored == nil {
		return nil, nil
	}
	status := stored.DeepCopy()
	if err := checkFramework(status); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStatusInvalid, err)
	}
	state := &State{status: *status, roles: make([]*role, 0, len(status.AttemptStatus.TaskRoleStatuses))}
	state.status.AttemptStatus.TaskRoleStatuses = nil
	state.status.AttemptStatus.TaskRoleStatusesCompressed = nil
	for i := range status.AttemptStatus.TaskRoleStatuses {
		role, err := loadRole(&status.AttemptStatus.TaskRoleStatuses[i])
		if err == nil && state.role(role.name) != nil {
			err = errors.New("there are two of that name")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: role %.63q: %w", ErrStatusInvalid, status.AttemptStatus.TaskRoleStatuses[i].Name, err)
		}
		state.roles = append(state.roles, role)
	}
	if err := checkAllCompleted(state); err != nil {
		return nil, err
	}
	return state, nil
}

func loadRole(stored *v1.TaskRoleStatus) (*role, error) {
	if stored.RetriedCount < 0 {
		return nil, fmt.Errorf("retriedCount is %d", stored.RetriedCount)
	}
	if stored.Items != nil && stored.Items.Number < 1 {
		return nil, fmt.Errorf("items.number is %d", stored.Items.Number)
	}
	out := &role{name: stored.Name, instanceUID: stored.InstanceUID, timeout: stored.PodGracefulDeletionTimeoutSec, retried: stored.RetriedCount, items: stored.Items}
	out.tasks = make([]*v1.TaskStatus, 0, len(stored.TaskStatuses))
	for i := range stored.TaskStatuses {
		task := &stored.TaskStatuses[i]
		if int(task.Index) != i {
			return nil, fmt.Errorf("taskStatuses[%d].index is %d", i, task.Index)
		}
		if err := checkTask(task); err != nil {
			return nil, fmt.Errorf("taskStatuses[%d]: %w", i, err)
		}
		out.tasks = append(out.tasks, task)
		out.tally.add(task)
	}
	out.findFirstNew()
	return out, nil
}

func checkFramework(s *v1.FrameworkStatus) error {
	attempt := &s.AttemptStatus
	if attempt.ConfigMapName == "" {
		return errors.New("attemptStatus.configMapName is missing")
	}
	if attempt.TaskRoleStatuses == nil {
		return errors.New("attemptStatus.taskRoleStatuses is null")
	}
	if err := checkVolumes(s.Volumes); err != nil {
		return err
	}
	decided := attempt.CompletionStatus != nil
	if decided && !completing(s.State) && !ended(s.State) {
		return fmt.Errorf("state is %s, but the attempt has a completionStatus", s.State)
	}
	return check(facts{s.State, s.RetryPolicyStatus, attempt.ID, attempt.ConfigMapUID, attempt.InstanceUID, decided, s.CompletionTime != nil})
}

func checkTask(t *v1.TaskStatus) error {
	attempt := &t.AttemptStatus
	if attempt.PodName == "" {
		return errors.New("attemptStatus.podName is missing")
	}
	decided := attempt.CompletionStatus != nil
	if r := attempt.Restart; r != nil && (!decided || r.Scope != v1.RestartRole && r.Scope != v1.RestartFramework) {
		return fmt.Errorf("attemptStatus.restart has scope %.63q, or is there without a completionStatus", r.Scope)
	}
	if r := attempt.AwaitedRestart; r != nil && (decided || t.State != v1.AttemptCreationPending || r.Scope != v1.RestartRole && r.Scope != v1.RestartFramework) {
		return fmt.Errorf("attemptStatus.awaitedRestart has scope %.63q, or is there with a Pod or a completionStatus", r.Scope)
	}
	if attempt.AwaitsTurn && (decided || t.State != v1.AttemptCreationPending) {
		return errors.New("attemptStatus.awaitsTurn is true with a Pod or a completionStatus")
	}
	return check(facts{t.State, t.RetryPolicyStatus, attempt.ID, attempt.PodUID, attempt.InstanceUID, decided, t.CompletionTime != nil})
}

// facts must be consistent in the status of a Framework and of a Task alike.
type facts struct {
	state     v1.State
	retries   v1.RetryPolicyStatus
	attempt   int32
	object    *types.UID
	instance  *string
	decided   bool
	completed bool // there is a completionTime
}

func check(f facts) error {
	hasObject := f.object != nil
	switch {
	case !known(f.state):
		return fmt.Errorf("state %.63q is unknown", f.state)
	case hasObject && *f.object == "":
		return errors.New("the UID of the attempt's object is empty")
	case !hasObject && f.instance != nil:
		return errors.New("the attempt has an instanceUID, but no object")
	case hasObject && f.state == v1.AttemptCreationPending:
		return fmt.Errorf("state is %s, but the attempt has an object", f.state)
	case !hasObject && (created(f.state) || completing(f.state)):
		return fmt.Errorf("state is %s, but the attempt has no object", f.state)
	case !f.decided && (completing(f.state) || ended(f.state)):
		return fmt.Errorf("state is %s, but the attempt has no completionStatus", f.state)
	case !f.completed && f.state == v1.Completed:
		return fmt.Errorf("state is %s, but there is no completionTime", f.state)
	}
	return checkCounters(f.retries, f.attempt)
}

func known(s v1.State) bool {
	return s == v1.AttemptCreationPending || created(s) || completing(s) || ended(s)
}

func checkCounters(retries v1.RetryPolicyStatus, attempt int32) error {
	total, accountable := retries.TotalRetriedCount, retries.AccountableRetriedCount
	if attempt != total || accountable < 0 || accountable > total {
		return fmt.Errorf("attempt %d, totalRetriedCount %d and accountableRetriedCount %d contradict each other", attempt, total, accountable)
	}
	return nil
}

// checkAllCompleted checks property P4: in an ended attempt, all Tasks have completed.
func checkAllCompleted(s *State) error {
	if !ended(s.status.State) {
		return nil
	}
	for ref, task := range s.Tasks {
		if task.State != v1.Completed {
			return fmt.Errorf("%w: state is %s, but Task %s is in %s", ErrStatusInvalid, s.status.State, ref, task.State)
		}
	}
	return nil
}
