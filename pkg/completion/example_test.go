package completion_test

import (
	"fmt"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// A rule gives exit code 42 its own code, and states that a retry may help.
func ExampleRules_Classify() {
	code, exit := completion.Code(-1420), int32(42)
	rules, err := completion.Compile([]completion.RuleSpec{{
		Code:   &code,
		Phrase: "LicenseServerBusy",
		Type:   completion.TypeSpec{Attributes: []v1.CompletionTypeAttribute{v1.AttributeTransient}},
		PodPatterns: []*completion.PodPatternSpec{{
			Containers: []*completion.ContainerPatternSpec{{CodeRange: &completion.RangeSpec{Min: &exit, Max: &exit}}},
		}},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, exit := range []int32{42, 1} {
		status := rules.Classify(completion.Pod{
			Name:       "train-worker-0",
			Containers: []completion.Container{{Name: "main", Terminated: true, Code: exit}},
		})
		fmt.Println(status.Code, status.Phrase, status.Type.Name, status.Type.Attributes)
	}
	// Output:
	// -1420 LicenseServerBusy Failed [Transient]
	// 1 ContainerUnrecognizedFailed Failed []
}
