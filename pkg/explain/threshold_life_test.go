package explain

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// counting is a life whose Tasks are counted.
type counting struct {
	*rand.Rand
	t     *testing.T
	story *lifecycletest.Story
	told  *strings.Builder
	seen  map[string]int
	done  []lifecycletest.Command

	ended int32         // the last attempt whose end was stored
	end   *v1.Framework // as it was then
	said  []Statement   // what was said of it then
}

func (l *counting) begin(r *rand.Rand) {
	l.Rand, l.story, l.told = r, lifecycletest.NewStory(lifecycletest.Config()), &strings.Builder{}
	l.story.Hooks.Stored = func(types.UID, *lifecycle.State) { l.stored() }
}

func (l *counting) do(c lifecycletest.Command) {
	l.t.Helper()
	l.done = append(l.done, c)
	fmt.Fprintf(l.told, "%s\n%s", c.Line, c.Input)
	out, err := l.story.Do(c.Line, c.Input)
	if err != nil {
		l.t.Fatalf("%s: %v", c.Line, err)
	}
	l.told.WriteString(out)
	l.lookAgain()
}

func (l *counting) pick(options ...string) string { return options[l.IntN(len(options))] }

// lifeOf draws a life. Between any two commands, some time passes, so that Tasks complete at different times.
func (l *counting) lifeOf() []lifecycletest.Command {
	roles := []string{"a", "b", "c"}[:1+l.IntN(3)]
	input := ""
	for _, role := range roles {
		input += fmt.Sprintf("%s x%d %s %s\n", role, 1+l.IntN(4), l.thresholds(), l.retries())
	}
	all := []lifecycletest.Command{{Line: "framework " + l.pick("max=-2", "max=-1", "max=0", "max=1"), Input: input}}
	for range l.IntN(16) {
		all = append(all, lifecycletest.Command{Line: "advance 1s"}, l.next(roles))
	}
	return all
}

func (l *counting) thresholds() string {
	return l.pick("failed=-1", "failed=0", "failed=1", "failed=2", "failed=3") + " " +
		l.pick("succeeded=-1", "succeeded=0", "succeeded=1", "succeeded=2", "succeeded=3")
}

func (l *counting) retries() string {
	return l.pick("max=0", "max=0", "max=1", "max=2", "max=-1", "max=-2") + " " + l.pick("fancy", "fancy=no")
}

func (l *counting) next(roles []string) lifecycletest.Command {
	role := roles[l.IntN(len(roles))]
	task := fmt.Sprintf("%s-%d", role, l.IntN(4))
	switch l.IntN(16) {
	case 0, 1:
		return lifecycletest.Command{Line: "edit", Input: fmt.Sprintf("%s x%d\n", role, l.IntN(5))}
	case 2, 3:
		return lifecycletest.Command{Line: "edit", Input: role + " " + l.thresholds() + "\n"}
	case 4:
		return lifecycletest.Command{Line: "edit", Input: role + " " + l.retries() + "\n"}
	case 5:
		return lifecycletest.Command{Line: l.pick("edit suspend", "edit suspend=no", "edit suspend=no", "edit exec=Stop", "delete configmap")}
	case 6:
		return lifecycletest.Command{Line: "advise " + task + l.pick("", " giveup")}
	case 7:
		return lifecycletest.Command{Line: l.pick("advance 20m", "delete pod "+task)}
	case 8:
		return lifecycletest.Command{Line: "edit", Input: l.pick("-"+role, role+" x2") + "\n"}
	}
	return lifecycletest.Command{Line: "exit " + task + " " + l.pick("0", "0", "9", "210", "200")}
}

// edit changes the thresholds of all roles.
func (l *counting) edit() {
	input := ""
	for _, role := range l.story.Object().Spec.TaskRoles {
		input += role.Name + " " + l.thresholds() + "\n"
	}
	l.do(lifecycletest.Command{Line: "edit", Input: input})
}

// copy returns another life with the same past, whose story is told with this one's.
func (l *counting) copy() *counting {
	c := &counting{t: l.t, seen: l.seen, ended: -1}
	c.begin(l.Rand)
	for _, command := range l.done {
		c.do(command)
	}
	for _, command := range l.done {
		if advice, ok := strings.CutSuffix(command.Line, " giveup"); ok { // it ends attempts, too
			c.do(lifecycletest.Command{Line: advice})
		}
	}
	c.do(lifecycletest.Command{Line: "edit max=0"}) // the end of the attempt is the last one
	c.told, c.end = l.told, nil
	fmt.Fprintf(c.told, "--- a copy\n")
	return c
}
