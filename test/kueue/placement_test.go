package kueue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// The Pods run on the nodes of the flavor that was assigned.
func TestFlavor(t *testing.T) {
	s := newStoryOf(t, "second-node", 40)
	s.Create("flavored", spec(gangs.Role("worker", 3)))
	s.AwaitBound("flavored", 3, 3)
	require.Equal(t, map[string]int{"node-1": 3}, s.nodes("flavored"))
}

// They run where Kueue has found room: all in one domain, though the scheduler would have spread them.
func TestTopology(t *testing.T) {
	s := newStoryOf(t, "racks", 60)
	near := "queue: research, topology: [{key: kubernetes.io/hostname, mode: Required, role: worker}]"
	for _, name := range []string{"a", "b"} {
		s.Create(name, strings.Replace(spec(gangs.Role("worker", 3)), "queue: research", near, 1))
		s.AwaitBound(name, 3, 3)
		require.Len(t, s.nodes(name), 1, name)
	}
}

// nodes counts the Pods of a Framework by node.
func (s *story) nodes(name string) map[string]int {
	s.T.Helper()
	pods, err := s.Pods(s.T.Context(), name)
	require.NoError(s.T, err)
	nodes := map[string]int{}
	for _, p := range pods {
		nodes[p.Spec.NodeName]++
	}
	return nodes
}

// Kueue may admit a part of the gang that suffices; the other Pods are held back.
func TestPartialAdmission(t *testing.T) {
	s := newStory(t, 30)
	partial := "plugins: [{name: kueue, parameters: {partialAdmission: true}}]"
	s.Create("elastic", gangs.With(partial, strings.Replace(spec(gangs.Role("worker", 5)), "queue: research", "queue: research, gang: {minTasks: 2}", 1)))
	s.StaysBound("elastic", 5, 3)
}
