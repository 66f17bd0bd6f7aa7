package nativegangs

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
)

// story knows what Kubernetes makes of gangs, too.
type story struct{ *gangs.Story }

func newStory(t *testing.T) *story {
	t.Helper()
	return &story{world.NewStory(t)}
}
