package lifecycletest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Command is a line of a story, and the lines below it.
type Command struct{ Line, Input string }

// Life draws the commands of an ordinary life: Pods end with success or not, time passes, the spec is edited, and every request
// arrives. It is for tests of predictions about a Framework.
type Life struct{ *rand.Rand }

// NewLife returns the life of that number; the same number always gives the same commands.
func NewLife(number uint64) Life { return Life{rand.New(rand.NewPCG(number, 2))} }

func (l Life) pick(options ...string) string { return options[l.IntN(len(options))] }

// Begin returns the commands that create the Framework.
func (l Life) Begin() []Command {
	start := []Command{{Line: l.pick("set classifier on", "set classifier off")}}
	return append(start, Command{
		Line:  strings.TrimSpace("framework " + l.policy()),
		Input: fmt.Sprintf("a x%d %s\nb x%d %s\n", 1+l.IntN(4), l.Role(), l.IntN(3), l.Role()),
	})
}

// Role returns a description of a role, without the number of its Tasks.
func (l Life) Role() string {
	return strings.Join([]string{
		l.pick("", "failed=2", "failed=3 succeeded=1", "failed=-1", "failed=0", "succeeded=2"), l.policy(),
		l.pick("", "", "restart=Role", "restart=Framework", "restart=Task"),
		l.pick("", "", "", "role=1", "role=2", "role=-1", "role=no"),
	}, " ")
}

// policy returns a random retry policy.
func (l Life) policy() string {
	return strings.Join([]string{
		l.pick("", "max=1", "max=2", "max=-1", "max=-2", "max=0"), l.pick("", "", "fancy", "fancy=no"), l.pick("", "", "backoff=10/60", "backoff=0/0"),
		l.pick("", "", "", "", "window=2/60", "window=no", "budget=code=9/1", "budget=attribute=Transient/1", "budget=phrase=ContainerPermanentFailed/-1", "budget=no"),
	}, " ")
}

// Next returns one more command.
func (l Life) Next() Command {
	switch l.IntN(12) {
	case 0:
		return Command{Line: "advance " + l.pick("1s", "5s", "30s", "5m", "20m")}
	case 1:
		return Command{Line: "edit " + l.pick("suspend", "suspend=no", "suspend=no", "exec=Stop", l.policy(), l.policy(), l.policy(), l.policy())}
	case 2:
		return Command{Line: "edit", Input: l.pick("a", "b") + " " + l.Role() + "\n"}
	case 3:
		return Command{Line: "edit", Input: fmt.Sprintf("%s x%d\n", l.pick("a", "b"), l.IntN(5))}
	case 4:
		return Command{Line: "advise " + l.task() + l.pick("", " restart=Role", " restart=Framework", " restart=Task", " delay=30", " delay=0 restart=Role", " giveup")}
	case 5:
		return Command{Line: l.pick("delete pod "+l.task(), "delete pod "+l.task(), "delete pod "+l.task()+" force", "delete configmap", "keep "+l.task()+" example.com/keep", "keep "+l.task())}
	}
	return Command{Line: "exit " + l.task() + " " + l.pick("0", "0", "9", "9", "200", "201", "210")}
}

func (l Life) task() string { return l.pick("a-0", "a-0", "a-1", "a-1", "a-2", "b-0", "b-0", "b-1") }
