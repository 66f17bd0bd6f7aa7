package yunikorn

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/gang"
)

// settings are the parameters.
type settings struct {
	// Queue of Frameworks that name none. Empty leaves it to YuniKorn's placement rules.
	Queue         string `json:"queue"`
	SchedulerName string `json:"schedulerName"`
	// GangSchedulingStyle decides about a gang that is not placed in time: Hard fails the application, Soft places its Pods one by one.
	GangSchedulingStyle string `json:"gangSchedulingStyle"`
	// PlaceholderTimeoutInSeconds is that time, if the Framework has no timeoutSec; if it has, the time is a minute longer than
	// that. 0 leaves it to YuniKorn: 15 minutes.
	PlaceholderTimeoutInSeconds int32 `json:"placeholderTimeoutInSeconds"`
}

const (
	defaultScheduler = "yunikorn"
	hard             = "Hard"
	soft             = "Soft"
)

// frameworkParameters are the parameters that Frameworks may set: all that an author may write into the metadata of a Pod as well.
var frameworkParameters = []string{"gangSchedulingStyle", "placeholderTimeoutInSeconds", "queue", "schedulerName"}

// read checks what can be checked without a Framework. An error names the parameter.
func read(s *structpb.Struct) (settings, error) {
	out := settings{SchedulerName: defaultScheduler, GangSchedulingStyle: hard}
	if err := plugin.Decode(s, &out); err != nil {
		return settings{}, err
	}
	if err := gang.CheckSchedulerName(out.SchedulerName, defaultScheduler); err != nil {
		return settings{}, err
	}
	switch {
	case out.GangSchedulingStyle != hard && out.GangSchedulingStyle != soft:
		return settings{}, fmt.Errorf("gangSchedulingStyle: has to be Hard or Soft, but is %q", out.GangSchedulingStyle)
	case out.PlaceholderTimeoutInSeconds < 0:
		return settings{}, fmt.Errorf("placeholderTimeoutInSeconds: is %d, and has to be positive; without the key it is YuniKorn's own",
			out.PlaceholderTimeoutInSeconds)
	}
	return out, nil
}

// afterController is the number of seconds by which YuniKorn gives up a gang later than the controller. The controller retries without
// counting it; YuniKorn fails the Pods. So the controller should be first, even if it is slow or away.
const afterController = 60

// policy is the annotation with the parameters of gang scheduling.
func (s settings) policy(of *pluginpb.Scheduling) string {
	timeout := int64(s.PlaceholderTimeoutInSeconds)
	if own := int64(of.GetTimeoutSeconds()); own > 0 {
		timeout = own + afterController
	}
	var out []string
	if timeout > 0 {
		out = append(out, fmt.Sprintf("placeholderTimeoutInSeconds=%d", timeout))
	}
	return strings.Join(append(out, "gangSchedulingStyle="+s.GangSchedulingStyle), " ")
}
