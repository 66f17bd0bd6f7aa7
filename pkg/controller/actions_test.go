package controller

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// everyAction has a value of each type of action.
var everyAction = []lifecycle.Action{
	lifecycle.CreateConfigMap{}, lifecycle.DeleteConfigMap{}, lifecycle.ReadConfigMap{}, lifecycle.ReadItems{Role: "w"},
	lifecycle.CreatePod{}, lifecycle.DeletePod{}, lifecycle.ReadPod{},
	lifecycle.ClassifyPod{}, lifecycle.JudgeStart{},
	lifecycle.DecideCompletion{}, lifecycle.AskHints{}, lifecycle.PrepareHints{},
	lifecycle.ArchiveTask{}, lifecycle.ArchiveAttempt{}, lifecycle.CollectLogs{},
	lifecycle.KeepCompanion{}, lifecycle.DeleteCompanion{}, lifecycle.KeepClaim{}, lifecycle.DeleteClaim{},
	lifecycle.DeleteFramework{},
}

// No type of action is missing above: the source of package lifecycle has the methods that make a type an action.
func TestEveryActionIsListed(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../lifecycle/action.go", nil, 0)
	require.NoError(t, err)
	var declared, listed []string
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "action" {
			declared = append(declared, f.Recv.List[0].Type.(*ast.Ident).Name)
		}
	}
	for _, a := range everyAction {
		listed = append(listed, reflect.TypeOf(a).Name())
	}
	require.ElementsMatch(t, declared, listed)
}

// ofTask returns an action of the same type that is about a Task; ok is false if the type has no Task.
func ofTask(a lifecycle.Action, ref lifecycle.TaskRef) (about lifecycle.Action, ok bool) {
	v := reflect.New(reflect.TypeOf(a)).Elem()
	field := v.FieldByName("Task")
	if !field.IsValid() {
		return nil, false
	}
	field.Set(reflect.ValueOf(ref))
	return v.Interface().(lifecycle.Action), true
}

// An action with a Task is about that Task: only a round that looks at the Task decides whether it is still asked for.
func TestActionsOfTasks(t *testing.T) {
	ref, other := lifecycle.TaskRef{Role: "w", Index: 1}, lifecycle.TaskRef{Role: "w", Index: 2}
	for _, a := range everyAction {
		about, has := ofTask(a, ref)
		if !has {
			_, ok := taskOf(a)
			require.False(t, ok, "%T has no Task", a)
			continue
		}
		got, ok := taskOf(about)
		require.True(t, ok, "%T has a Task", a)
		require.Equal(t, ref, got)

		elsewhere := schedule{changed: map[lifecycle.TaskRef]struct{}{other: {}}}
		require.False(t, elsewhere.looksAt(about), "%T", a)
		there := schedule{changed: map[lifecycle.TaskRef]struct{}{ref: {}}}
		require.True(t, there.looksAt(about), "%T", a)
	}
}

// The blocker of a Task's action is remembered while rounds look at other Tasks, and forgotten by a round that looks at the Task
// without requesting the action.
func TestBlockersOfTasksOutlastRoundsOfOthers(t *testing.T) {
	ref, other := lifecycle.TaskRef{Role: "w", Index: 1}, lifecycle.TaskRef{Role: "w", Index: 2}
	for _, a := range everyAction {
		about, has := ofTask(a, ref)
		if !has {
			continue
		}
		r := &record{}
		r.reset("1", false)
		if isQuestion(about) {
			r.questions.waiting[topic(about)] = waitingQuestion{question: about, why: errors.New("down")}
		} else {
			r.blockers.failures["a-w-1"] = failedAction{action: about}
		}
		r.schedule = schedule{changed: map[lifecycle.TaskRef]struct{}{other: {}}}
		require.False(t, r.pruneBlockers(nil), "%T is forgotten by a round that has not looked at its Task", a)
		r.schedule = schedule{changed: map[lifecycle.TaskRef]struct{}{ref: {}}}
		require.True(t, r.pruneBlockers(nil), "%T is not asked for any more", a)
		require.Empty(t, r.blockedBy())
	}
}
