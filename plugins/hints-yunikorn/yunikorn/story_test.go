package yunikorn

import (
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/hintstory"
)

func TestStories(t *testing.T) { hintstory.Run(t, "testdata", New().SchedulerHints.Hint) }
