package guard

import (
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

// life counts the requests of Frameworks that are created, run, succeed and are deleted, including the requests of the start.
func life(t *testing.T, m mistake, frameworks, tasks int) measures {
	t.Helper()
	s := start(t, m)
	s.create(frameworks, tasks)
	s.runAll()
	for _, pod := range s.List(apitest.Pods) {
		s.EndPod(pod.GetName(), 0)
	}
	s.await("the end of every Framework", func() bool { ended, _ := s.in(v1.Completed); return ended == frameworks })
	for i := range frameworks {
		s.Delete(apitest.Frameworks, name(i))
	}
	s.await("every Framework and Pod to go", func() bool {
		return len(s.List(apitest.Frameworks)) == 0 && len(s.List(apitest.Pods)) == 0
	})
	s.stop()
	of := fmt.Sprintf("life of %d x %d: ", frameworks, tasks)
	counted := measures{of + "bytes of status writes": int(s.writes.bytes.Load())}
	for _, q := range s.Requests("*") {
		counted[of+q.Verb+" "+q.Resource]++
	}
	return counted
}
