package lifecycle_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
)

// A plugin has every node avoided on which a Pod fails, and there are more nodes than a Framework may avoid. The list is bounded,
// and in the end the Pods run, although all remaining nodes must be avoided.
func TestPluginThatAvoidsEveryNode(t *testing.T) {
	story := lifecycletest.NewStory(lifecycletest.Config())
	newChecker(t, story)
	do := func(line, input string) {
		t.Helper()
		_, err := story.Do(line, input)
		require.NoError(t, err)
	}
	do("given", "w x1 max=-1\n")
	do("set classifier on", "")
	const nodes = v1.MaxAvoidedNodes + 20
	names := "nodes"
	for i := range nodes {
		names += fmt.Sprintf(" n%03d", i)
	}
	do(names, "")
	for range nodes + 20 {
		do("exit w-0 9", "")
		do("blame w-0 41 avoid=Require/604800 it is always the node", "")
		do("advance 6s", "")
	}
	list := story.Stored().Framework().AvoidedNodes
	if len(list) != v1.MaxAvoidedNodes {
		t.Errorf("%d nodes are avoided", len(list))
	}
	do("nodes n119", "")
	do("exit w-0 9", "")
	do("blame w-0 41 avoid=Require/604800 it is always the node", "")
	do("advance 6s", "")
	if n := story.Stored().Framework().Tasks.Running; n != 1 {
		t.Errorf("%d Tasks run: %+v", n, story.Stored().Framework().Conditions)
	}
}
