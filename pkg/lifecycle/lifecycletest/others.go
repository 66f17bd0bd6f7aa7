package lifecycletest

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/gates"
)

// others are the Frameworks beside the one that the story is about.
type others struct {
	byName map[string]gates.Other
	made   int      // how many there ever were
	circle []string // lifecycle.Observed.OthersCircle
}

// other: "other <name> [Succeeded|Failed|elsewhere|gone]": there is another Framework, which has ended or not, or is gone. It is
// another one than before if that had ended, or was gone.
func (s *Story) other(args []string, _ string) error {
	if len(args) == 0 || len(args) == 2 && !slices.Contains([]string{"Succeeded", "Failed", "elsewhere", "gone"}, args[1]) || len(args) > 2 {
		return fmt.Errorf("other wants a name, and Succeeded, Failed, elsewhere or gone")
	}
	how := slices.Concat(args, []string{""})[1]
	s.server.others.set(args[0], how)
	s.controller.again = true
	return nil
}

func (o *others) set(name, how string) {
	before := o.byName[name]
	if o.byName == nil {
		o.byName = map[string]gates.Other{}
	}
	if how == "gone" {
		delete(o.byName, name)
		return
	}
	next := gates.Other{UID: before.UID, Elsewhere: how == "elsewhere"}
	if before.UID == "" || before.Outcome != "" {
		o.made++
		next.UID = types.UID(fmt.Sprintf("%s-%d", name, o.made))
	}
	if how != "elsewhere" {
		next.Outcome = v1.CompletionTypeName(how)
	}
	o.byName[name] = next
}

// succeed lets all of them succeed, for a Framework that waits for them.
func (o *others) succeed(names []string) {
	o.circle = nil
	for _, name := range names {
		o.set(name, string(v1.CompletionSucceeded))
	}
}

// circle: "circle <name>...": these Frameworks wait for each other, beginning with this one; without names, they no longer do.
func (s *Story) circle(args []string, _ string) error {
	s.server.others.circle = args
	s.controller.again = true
	return nil
}

// awaited are the Frameworks that roles start after and that are not stored as completed yet.
func (c *controller) awaited() []string {
	if c.saved == nil || c.latest == nil {
		return nil
	}
	latest := c.latest
	if cached := c.cache.objects[theFramework]; cached != nil && cached.uid == latest.uid {
		latest = newer(latest, cached) // as in the round, which may be the first to see an edit
	}
	return gates.AwaitedFrameworks(latest.framework.spec, c.saved.Framework().StartedAfter)
}

// viewOthers returns what is known of them.
func (c *controller) viewOthers() map[string]gates.Other {
	var out map[string]gates.Other
	for _, name := range c.awaited() {
		if o, exists := c.server.others.byName[name]; exists {
			if out == nil {
				out = map[string]gates.Other{}
			}
			out[name] = o
		}
	}
	return out
}
