package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

func TestHiveD(t *testing.T) {
	p := &played{
		plugin: "hived", resources: cells(2), words: "insufficient capacity when scheduling in VC VC1",
		annotation: annotationSpec, group: "name: %s/%s-attempt-%d\n",
	}
	p.tell(t,
		chapter{"cells of their own", hivedCells},
		chapter{"rescaled", hivedRescale},
		chapter{"restarted while a Task is refused", hivedRestart},
		chapter{"cells are kept", hivedKeeps},
		chapter{"stages", hivedStages},
		chapter{"pinned", hivedPinned},
		chapter{"what HiveD does not have", hivedWrong},
	)
}

func cells(n int) string {
	return fmt.Sprintf("requests: {nvidia.com/gpu: %[1]d}, limits: {nvidia.com/gpu: %[1]d}", n)
}

// Each Pod of a gang gets its cells, as many as it wants, and shares none with another.
func hivedCells(s *story) {
	s.create("mixed", "", role{name: "ps", tasks: 4, resources: cells(1)}, role{name: "worker", tasks: 2, resources: cells(4)})
	s.AwaitBound("mixed", 6, 6)
	pods, err := s.Pods(s.T.Context(), "mixed")
	require.NoError(s.T, err)
	owners := map[string]string{}
	for _, p := range pods {
		told := strings.Split(p.Annotations[annotationIsolation], ",")
		if want := p.Spec.Containers[0].Resources.Requests.Name("nvidia.com/gpu", "").Value(); int64(len(told)) != want {
			s.T.Errorf("%s has the cells %v, and wants %d", p.Name, told, want)
		}
		for _, cell := range told {
			if other := owners[p.Spec.NodeName+cell]; other != "" {
				s.T.Errorf("%s and %s have cell %s of %s", p.Name, other, cell, p.Spec.NodeName)
			}
			owners[p.Spec.NodeName+cell] = p.Name
		}
	}
}

// A gang may become smaller, and as large again as it was. More is refused; the others run on, and are retried.
func hivedRescale(s *story) {
	s.create("breathes", "", role{name: "worker", tasks: 3, retries: 1})
	s.AwaitBound("breathes", 3, 3)
	s.Scale("breathes", 1)
	s.AwaitBound("breathes", 1, 1)
	s.Scale("breathes", 3)
	s.AwaitBound("breathes", 3, 3)
	s.Scale("breathes", 4)
	s.AwaitWaiting("breathes", "was made for 3 Pods")
	s.deletePod("breathes-worker-1")
	s.StaysBound("breathes", 3, 3)
}

// A Task that is refused has no Pod, and so nothing to restart with its role. It still gets no Pod, which might be given the cells of one that
// ran: those all come back, on the cells of their group.
func hivedRestart(s *story) {
	s.create("restarts", "", role{name: "worker", tasks: 3, retries: 1, restart: "Role"}, role{name: "steady", tasks: 1})
	s.AwaitBound("restarts", 4, 4)
	pods, cells := hivedPlaces(s, "restarts")
	s.Scale("restarts", 4)
	s.AwaitWaiting("restarts", "was made for 4 Pods")
	s.endPod("restarts-worker-1", corev1.PodFailed)
	f := s.Await("restarts", "running again", func(f *v1.FrameworkStatus) bool {
		again := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[:3]
		return !slices.ContainsFunc(again, func(t v1.TaskStatus) bool { return t.State != v1.AttemptRunning || t.AttemptStatus.ID != 1 })
	})
	if refused := f.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[3]; refused.State != v1.AttemptCreationPending || refused.AttemptStatus.ID != 0 {
		s.T.Errorf("the refused Task is %s in attempt %d", refused.State, refused.AttemptStatus.ID)
	}
	podsAfter, cellsAfter := hivedPlaces(s, "restarts")
	require.Len(s.T, podsAfter, 4, "the refused Task has a Pod")
	require.Equal(s.T, cells, cellsAfter)
	require.Equal(s.T, pods["restarts-steady-0"], podsAfter["restarts-steady-0"])
	require.NotEqual(s.T, pods["restarts-worker-0"], podsAfter["restarts-worker-0"])
	s.Scale("restarts", 3)
	s.Await("restarts", "waiting for nothing", func(f *v1.FrameworkStatus) bool { return gangs.Waiting(f) == "" })
}

// hivedPlaces returns the Pods of a Framework by their names, and the cells that they have, all together.
func hivedPlaces(s *story, name string) (pods map[string]types.UID, cells []string) {
	s.T.Helper()
	found, err := s.Pods(s.T.Context(), name)
	require.NoError(s.T, err)
	pods = map[string]types.UID{}
	for _, p := range found {
		pods[p.Name] = p.UID
		for cell := range strings.SplitSeq(p.Annotations[annotationIsolation], ",") {
			cells = append(cells, p.Spec.NodeName+"/"+cell)
		}
	}
	slices.Sort(cells)
	return pods, cells
}

// Cells of Tasks that have completed are others' only when the last Pod has ended.
func hivedKeeps(s *story) {
	s.create("keeps", "", role{name: "quick", tasks: 3, simulate: `simulate.frameworkcontroller.io/run-for: 0s`}, role{name: "steady", tasks: 1})
	s.Await("keeps", "down to one", func(f *v1.FrameworkStatus) bool {
		return f.AttemptStatus.TaskRoleStatuses != nil && completedTasks(f) == 3
	})
	s.create("next", "", role{name: "worker", tasks: 3}) // beside one, there would be room for five
	s.StaysBound("next", 3, 0)
	s.Delete("keeps")
	s.AwaitBound("next", 3, 3)
}

// The cells of a role that starts later are kept while another Pod of the group is left. They are given away with its last Pod, about which
// the author gets a warning.
func hivedStages(s *story) {
	s.create("kept", "", role{name: "steady", tasks: 1}, role{name: "init", tasks: 1}, role{name: "train", tasks: 4, after: "init"})
	s.AwaitBound("kept", 2, 2)
	s.create("waits", "", role{name: "worker", tasks: 3}) // beside two, there would be room for four
	s.StaysBound("waits", 3, 0)
	s.endPod("kept-init-0", corev1.PodSucceeded)
	s.Await("kept", "in its second stage", func(f *v1.FrameworkStatus) bool { return runningTasks(f, "train") == 4 })
	s.StaysBound("waits", 3, 0)
	s.Delete("kept")
	s.Delete("waits")

	s.create("forgotten", "", role{name: "init", tasks: 1}, role{name: "train", tasks: 3, after: "init"})
	s.AwaitBound("forgotten", 1, 1)
	s.awaitWarning("forgotten", "HiveD deletes affinity group "+s.Namespace+"/forgotten-attempt-0 with its last Pod")
	s.create("takes", "", role{name: "worker", tasks: 6})
	s.StaysBound("takes", 6, 0)
	s.endPod("forgotten-init-0", corev1.PodSucceeded)
	s.AwaitBound("takes", 6, 6)
	s.AwaitWaiting("forgotten", "insufficient capacity")
}

func runningTasks(f *v1.FrameworkStatus, role string) int {
	n := 0
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		for _, task := range r.TaskStatuses {
			if r.Name == role && task.State == v1.AttemptRunning {
				n++
			}
		}
	}
	return n
}

func completedTasks(f *v1.FrameworkStatus) int {
	n := 0
	for _, r := range f.AttemptStatus.TaskRoleStatuses {
		for _, task := range r.TaskStatuses {
			if task.State == v1.Completed {
				n++
			}
		}
	}
	return n
}

// A pinned cell is only for its virtual cluster.
func hivedPinned(s *story) {
	s.createFor("pinned", s.chosen("virtualCluster: VC2, pinnedCellId: VC2-PIN"), "", "", role{name: "worker", tasks: 3})
	s.AwaitBound("pinned", 3, 3)
	pods, err := s.Pods(s.T.Context(), "pinned")
	require.NoError(s.T, err)
	for _, p := range pods {
		if p.Spec.NodeName != "node-4" {
			s.T.Errorf("%s is on %s", p.Name, p.Spec.NodeName)
		}
	}
}

// Names missing in HiveD's configuration are reported with its messages.
func hivedWrong(s *story) {
	wrong := map[string][2]string{
		"cluster": {"virtualCluster: VCX", "VC VCX does not exist"},
		"type":    {"leafCellType: A100", "leaf cell type A100 which the whole cluster does not have"},
		"pinned":  {"pinnedCellId: VC2-PIN", "VC VC1 does not have pinned cell VC2-PIN"},
	}
	for name, of := range wrong {
		s.createFor(name, s.chosen(of[0]), "", "", role{name: "worker", tasks: 1})
	}
	for name, of := range wrong {
		s.AwaitWaiting(name, of[1])
		s.StaysBound(name, 1, 0)
	}
}
