package lifecycletest

import (
	"fmt"
	"maps"
	"slices"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// archive holds the questions to a sink of the history, in order, and the attempts that it has stored.
type archive struct {
	asked []archiveQuestion
	done  lifecycle.Archived
}

// archiveQuestion is a question with the state stored at that time.
type archiveQuestion struct {
	lifecycle.Action
	stored *lifecycle.State
}

// ask reports whether the question is new.
func (a *archive) ask(question lifecycle.Action, stored *lifecycle.State) bool {
	if slices.ContainsFunc(a.asked, func(q archiveQuestion) bool { return q.Action == question }) {
		return false
	}
	a.asked = append(a.asked, archiveQuestion{question, stored})
	return true
}

// answer records that the sink has stored the subject of a question.
func (a *archive) answer(question lifecycle.Action) {
	switch q := question.(type) {
	case lifecycle.ArchiveTask:
		tasks := maps.Clone(a.done.Tasks) // a Step may hold the old one
		if tasks == nil {
			tasks = map[lifecycle.TaskRef]lifecycle.ArchivedTask{}
		}
		tasks[q.Task] = lifecycle.ArchivedTask{UID: q.TaskUID, AttemptID: q.AttemptID}
		a.done.Tasks = tasks
	case lifecycle.ArchiveAttempt:
		a.done.Attempt = &q.AttemptID
	}
}

// archived: "archived": the sink of the history answers the first question; "archived all": all questions; "archived lost": the first
// question, and the answer is lost.
func (s *Story) archived(args []string, _ string) error {
	c := s.controller
	switch {
	case slices.Equal(args, []string{"all"}):
		c.archiveAll()
	case len(args) > 0 && !slices.Equal(args, []string{"lost"}):
		return fmt.Errorf("archived wants nothing, `all` or `lost`")
	case len(c.questions.archive.asked) > 0:
		c.archiveNext(len(args) > 0)
	}
	return nil
}

func (c *controller) archiveAll() {
	for len(c.questions.archive.asked) > 0 {
		c.archiveNext(false)
	}
}

// archiveNext lets the sink answer the first question, and triggers a look at its subject. If the answer is lost, the question is
// asked again.
func (c *controller) archiveNext(lost bool) {
	a := &c.questions.archive
	first := a.asked[0]
	a.asked = a.asked[1:]
	c.hooks.archived(c.of, first.Action, first.stored)
	if !lost {
		a.answer(first.Action)
	}
	switch q := first.Action.(type) {
	case lifecycle.ArchiveTask:
		c.dirty[q.Task] = true
	case lifecycle.ArchiveAttempt:
		c.full = true
	}
}
