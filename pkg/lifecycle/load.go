package lifecycle

import (
	"errors"
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// ErrStatusInvalid is what Load's errors are: the status makes no sense, so nothing may be decided from it.
var ErrStatusInvalid = errors.New("status is not one that a controller can have written")

// Load returns the state that a stored status holds. The status must be decompressed, and is not changed.
// Load accepts every status that the original controller leaves behind, also without role and Task instance
// UIDs. Its error is an ErrStatusInvalid that names the field (decisions, "Status edited by hand").
func Load(stored *v1.FrameworkStatus) (*State, error) {
	status := stored.DeepCopy()
	if err := checkFramework(status); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrStatusInvalid, err)
	}
	state := &State{status: *status}
	state.status.AttemptStatus.TaskRoleStatuses = nil
	for i := range status.AttemptStatus.TaskRoleStatuses {
		role, err := loadRole(&status.AttemptStatus.TaskRoleStatuses[i])
		if err == nil && state.role(role.name) != nil {
			err = errors.New("there are two of that name")
		}
		if err != nil {
			return nil, fmt.Errorf("%w: role %q: %w", ErrStatusInvalid, status.AttemptStatus.TaskRoleStatuses[i].Name, err)
		}
		state.roles = append(state.roles, role)
	}
	return state, checkAllCompleted(state)
}

func loadRole(stored *v1.TaskRoleStatus) (*role, error) {
	out := &role{name: stored.Name, instanceUID: stored.InstanceUID, timeout: stored.PodGracefulDeletionTimeoutSec}
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
	return check(facts{s.State, s.RetryPolicyStatus, attempt.ID, attempt.ConfigMapUID != nil, attempt.CompletionStatus != nil})
}

func checkTask(t *v1.TaskStatus) error {
	attempt := &t.AttemptStatus
	if attempt.PodName == "" {
		return errors.New("attemptStatus.podName is missing")
	}
	return check(facts{t.State, t.RetryPolicyStatus, attempt.ID, attempt.PodUID != nil, attempt.CompletionStatus != nil})
}

// facts are what must fit together in the status of a Framework and of a Task alike.
type facts struct {
	state     v1.State
	retries   v1.RetryPolicyStatus
	attempt   int32
	hasObject bool
	decided   bool
}

func check(f facts) error {
	switch f.state {
	case v1.AttemptCreationPending:
		if f.hasObject {
			return fmt.Errorf("state is %s, but the attempt has an object", f.state)
		}
	case v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning:
		if !f.hasObject {
			return fmt.Errorf("state is %s, but the attempt has no object", f.state)
		}
	case v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting:
		if !f.hasObject || !f.decided {
			return fmt.Errorf("state is %s, but the attempt has no object or no completionStatus", f.state)
		}
	case v1.AttemptCompleted, v1.Completed:
		if !f.decided {
			return fmt.Errorf("state is %s, but the attempt has no completionStatus", f.state)
		}
	default:
		return fmt.Errorf("state %q is unknown", f.state)
	}
	return checkCounters(f.retries, f.attempt)
}

func checkCounters(retries v1.RetryPolicyStatus, attempt int32) error {
	total, accountable := retries.TotalRetriedCount, retries.AccountableRetriedCount
	if attempt != total || accountable < 0 || accountable > total {
		return fmt.Errorf("attempt %d, totalRetriedCount %d and accountableRetriedCount %d contradict each other", attempt, total, accountable)
	}
	return nil
}

// checkAllCompleted holds property P4: an ended attempt has completed Tasks only.
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
