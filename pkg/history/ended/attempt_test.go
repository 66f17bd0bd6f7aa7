package ended

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

var noon = time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)

// detail has the attempts 2, 1 and 0, each of which took a minute.
func detail() *historyapi.FrameworkDetail {
	d := &historyapi.FrameworkDetail{Framework: historyapi.Framework{Namespace: "prod", Name: "train", Completed: new(noon.Add(3 * time.Minute))}}
	for id := int32(2); id >= 0; id-- {
		began := noon.Add(time.Duration(id) * time.Minute)
		d.Attempts = append(d.Attempts, historyapi.FrameworkAttempt{ID: id, Began: began, Ended: began.Add(time.Minute), Retry: historyapi.Retry{Follows: id < 2},
			Completion: historyapi.Completion{Code: 7, Type: "Failed"}})
	}
	return d
}

// An attempt is found by its number, the newest one without; its earlier attempts are in the order of time.
func TestChoose(t *testing.T) {
	a, err := Choose(detail(), -1)
	require.NoError(t, err)
	require.EqualValues(t, 2, a.ID)
	require.Equal(t, v1.Completed, a.Framework().Status.State)
	earlier := a.Facts(false, noon).Earlier
	require.Len(t, earlier, 2)
	require.EqualValues(t, 0, earlier[0].ID)
	require.Equal(t, noon.Add(time.Minute), earlier[0].Next)
	require.Equal(t, noon.Add(2*time.Minute), earlier[1].Next)

	a, err = Choose(detail(), 1)
	require.NoError(t, err)
	require.EqualValues(t, 1, a.ID)
	require.Equal(t, v1.AttemptCompleted, a.Framework().Status.State, "another attempt followed")

	_, err = Choose(detail(), 5)
	require.EqualError(t, err, "the history has no attempt 5 of Framework train: the newest one that has ended is 2")
	_, err = Choose(&historyapi.FrameworkDetail{}, -1)
	require.ErrorContains(t, err, "has ended")
}

// A Task has the state of its last attempt; the attempts before are earlier ones of the same Task, but not of another instance.
func TestRoles(t *testing.T) {
	task := func(index, attempt int32, uid string, ended time.Duration) historyapi.TaskAttempt {
		return historyapi.TaskAttempt{Role: "worker", Index: index, Attempt: attempt, TaskUID: uid, Ended: noon.Add(ended), Completion: historyapi.Completion{Code: 10 + attempt}}
	}
	a := &Attempt{TaskAttempts: []historyapi.TaskAttempt{
		task(1, 0, "c", 3), task(1, 0, "b", 1), task(0, 1, "a", 2), task(0, 0, "a", 1),
	}}
	Sort(a.TaskAttempts)
	roles := a.Roles()
	require.Len(t, roles, 1)
	tasks := roles[0].TaskStatuses
	require.Len(t, tasks, 2)
	require.EqualValues(t, 11, tasks[0].AttemptStatus.CompletionStatus.Code)
	require.Len(t, tasks[0].EarlierAttempts, 1)
	require.EqualValues(t, 10, tasks[0].EarlierAttempts[0].Code)
	require.EqualValues(t, "c", tasks[1].InstanceUID)
	require.Empty(t, tasks[1].EarlierAttempts)
}
