package nativegangs

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// story is one at one end.
type story struct {
	*gangs.Story
	*end
}

// atBothEnds runs a story on both clusters at once.
func atBothEnds(t *testing.T, tell func(*story)) {
	for name, e := range ends {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tell(&story{e.world.NewStory(t), e})
		})
	}
}

// priorityClass creates a class that is deleted with the story, and returns its name.
func (s *story) priorityClass(value int32) string {
	s.T.Helper()
	classes := s.world.Core.SchedulingV1().PriorityClasses()
	made, err := classes.Create(s.T.Context(), &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{GenerateName: "story-"}, Value: value}, metav1.CreateOptions{})
	require.NoError(s.T, err)
	s.T.Cleanup(func() { _ = classes.Delete(context.Background(), made.Name, metav1.DeleteOptions{}) })
	return made.Name
}
