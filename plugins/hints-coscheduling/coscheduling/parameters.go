package coscheduling

import (
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// settings are the parameters.
type settings struct {
	// SchedulerName is the profile of kube-scheduler that has the coscheduling plugin.
	SchedulerName string `json:"schedulerName"`
	// ScheduleTimeoutSeconds is how long a group that is not complete may hold nodes, if the Framework has no timeoutSec.
	// 0 leaves it to the scheduler.
	ScheduleTimeoutSeconds int32 `json:"scheduleTimeoutSeconds"`
	// IgnoreQueue lets Frameworks name a queue, which then means nothing.
	IgnoreQueue bool `json:"ignoreQueue"`
}

// defaultScheduler is the scheduler's name in the chart of scheduler-plugins.
const defaultScheduler = "scheduler-plugins-scheduler"

// frameworkParameters are the parameters that Frameworks may set. They concern their own Pods alone, and the time is also theirs to
// set by timeoutSec.
var frameworkParameters = []string{"ignoreQueue", "scheduleTimeoutSeconds", "schedulerName"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{SchedulerName: defaultScheduler}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if err := gang.CheckSchedulerName(out.SchedulerName, defaultScheduler); err != nil {
		return settings{}, err
	}
	if out.ScheduleTimeoutSeconds < 0 {
		return settings{}, fmt.Errorf("scheduleTimeoutSeconds: is %d, and has to be positive; without the key it is the scheduler's own",
			out.ScheduleTimeoutSeconds)
	}
	return out, nil
}
