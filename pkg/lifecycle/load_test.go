package lifecycle_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// FuzzLoad: whatever a status contains, Load does not panic, and Step can continue from any status that it accepts.
func FuzzLoad(f *testing.F) {
	for _, status := range recordedStatuses(f) {
		f.Add([]byte(status), randomBytes(uint64(len(status)), 300))
	}
	f.Fuzz(checkLoad)
}

// TestLoadMutated does the same with recorded statuses in which something was changed by hand.
func TestLoadMutated(t *testing.T) {
	accepted := 0
	for seed := range 2 * *schedules {
		bytes := randomBytes(seed, 400)
		a := newAdversary(bytes[:100])
		statuses := recordedStatuses(t)
		status := a.mutate(t, statuses[a.next(len(statuses))])
		if checkLoad(t, []byte(status), bytes[100:]); t.Failed() {
			t.Fatalf("seed %d: %s", seed, status)
		}
		if _, err := load([]byte(status)); err == nil {
			accepted++
		}
	}
	if accepted == 0 {
		t.Error("every mutated status was refused")
	}
}

func checkLoad(t *testing.T, stored, rest []byte) {
	t.Helper()
	state, err := load(stored)
	if err != nil {
		return
	}
	checkAdversary(t, rest, state)
}

func load(stored []byte) (*lifecycle.State, error) {
	var status v1.FrameworkStatus
	if err := json.Unmarshal(stored, &status); err != nil {
		return nil, err
	}
	return lifecycle.Load(&status)
}

// mutate changes a few of the values in a JSON text.
func (a *adversary) mutate(t testing.TB, stored string) string {
	var status any
	require.NoError(t, json.Unmarshal([]byte(stored), &status))
	for range 1 + a.next(3) {
		a.mutateValue(status)
	}
	return text(status)
}

func (a *adversary) mutateValue(value any) {
	switch v := value.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if len(keys) == 0 {
			return
		}
		key := keys[a.next(len(keys))]
		if _, leaf := v[key].(map[string]any); leaf || strings.Contains(key, "Statuses") || key == "taskStatuses" {
			a.mutateValue(v[key])
			return
		}
		v[key] = []any{nil, "", 0, -1, 1, "Completed", "AttemptCompleted", "AttemptRunning", "AttemptCreationPending", true}[a.next(10)]
	case []any:
		if len(v) > 0 {
			a.mutateValue(v[a.next(len(v))])
		}
	}
}

// recordedStatuses returns the statuses written by the original, as JSON.
func recordedStatuses(t testing.TB) []string {
	paths, err := filepath.Glob("../apis/frameworkcontroller/v1/testdata/recorded/framework-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d recorded Frameworks, %v", len(paths), err)
	}
	var statuses []string
	for _, path := range paths {
		statuses = append(statuses, text(readFramework(t, path).Status))
	}
	return statuses
}

func readFramework(t testing.TB, path string) *v1.Framework {
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	var f v1.Framework
	require.NoError(t, json.Unmarshal(b, &f))
	return &f
}

// If Load refuses a status, its error names the invalid field.
func TestLoadRefuses(t *testing.T) {
	sound, _ := running(t, roles(2))
	empty := types.UID("")
	for _, c := range []struct {
		name  string
		spoil func(*v1.FrameworkStatus)
		want  string
	}{
		{"state", func(s *v1.FrameworkStatus) { s.State = "Dancing" }, `"Dancing"`},
		{"compressed", func(s *v1.FrameworkStatus) { s.AttemptStatus.TaskRoleStatuses = nil }, "taskRoleStatuses"},
		{"name", func(s *v1.FrameworkStatus) { s.AttemptStatus.ConfigMapName = "" }, "configMapName"},
		{"no object", func(s *v1.FrameworkStatus) { s.AttemptStatus.ConfigMapUID, s.AttemptStatus.InstanceUID = nil, nil }, "no object"},
		{"empty UID", func(s *v1.FrameworkStatus) { s.AttemptStatus.ConfigMapUID = &empty }, "empty"},
		{"undecided", func(s *v1.FrameworkStatus) { s.State = v1.AttemptDeleting }, "no completionStatus"},
		{"decided", func(s *v1.FrameworkStatus) {
			s.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{}
		}, "has a completionStatus"},
		{"live Tasks of an ended attempt", func(s *v1.FrameworkStatus) {
			s.State, s.AttemptStatus.CompletionStatus = v1.AttemptCompleted, &v1.FrameworkAttemptCompletionStatus{}
		}, "r0-0"},
		{"counters", func(s *v1.FrameworkStatus) { s.RetryPolicyStatus.TotalRetriedCount = 3 }, "totalRetriedCount 3"},
		{"index", func(s *v1.FrameworkStatus) { s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1].Index = 5 }, "index is 5"},
		{"retries of a role", func(s *v1.FrameworkStatus) { s.AttemptStatus.TaskRoleStatuses[0].RetriedCount = -1 }, "retriedCount is -1"},
		{"Task", func(s *v1.FrameworkStatus) { s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[1].State = v1.Completed }, "taskStatuses[1]"},
		{"Pod name", func(s *v1.FrameworkStatus) {
			s.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.PodName = ""
		}, "podName"},
		{"role twice", func(s *v1.FrameworkStatus) {
			s.AttemptStatus.TaskRoleStatuses = append(s.AttemptStatus.TaskRoleStatuses, s.AttemptStatus.TaskRoleStatuses[0])
		}, "two of that name"},
	} {
		status := sound.Status()
		c.spoil(status)
		_, err := lifecycle.Load(status)
		if !errors.Is(err, lifecycle.ErrStatusInvalid) || !strings.Contains(fmt.Sprint(err), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
