package memory_test

import (
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/memory"
)

const mebibyte = 1 << 20

func TestRaise(t *testing.T) {
	to := func(most, factor string) *v1.OnOOMSpec { return &v1.OnOOMSpec{MaxMemory: most, MemoryFactor: factor} }
	known := []v1.ContainerMemory{{Container: "c", Limit: "200Mi", Request: "200Mi", FirstLimit: "100Mi"}}
	for name, test := range map[string]struct {
		list           []v1.ContainerMemory
		limit, request int64 // in MiB
		onOOM          *v1.OnOOMSpec
		advised        float64
		want, change   string
	}{
		"the first time":                  {nil, 100, 50, to("1Gi", "1.5"), 0, "[{c 150Mi 75Mi 100Mi}]", "[{c 100Mi 150Mi }]"},
		"the default factor":              {nil, 100, 100, to("1Gi", ""), 0, "[{c 150Mi 150Mi 100Mi}]", "[{c 100Mi 150Mi }]"},
		"again":                           {known, 200, 200, to("1Gi", "2"), 0, "[{c 400Mi 400Mi 100Mi}]", "[{c 200Mi 400Mi }]"},
		"up to the maximum":               {known, 200, 100, to("300M", "2"), 0, "[{c 300000000 200Mi 100Mi}]", "[{c 200Mi 300000000 }]"},
		"at the maximum":                  {known, 200, 200, to("200Mi", "2"), 0, fmt.Sprint(known), "[{c 200Mi  AtMaximum}]"},
		"above the maximum":               {nil, 500, 0, to("200Mi", "2"), 0, "[]", "[{c 500Mi  AtMaximum}]"},
		"without a limit":                 {nil, 0, 50, to("1Gi", "2"), 0, "[]", "[{c   NoLimit}]"},
		"without a request":               {nil, 100, 0, to("1Gi", "2"), 0, "[{c 200Mi  100Mi}]", "[{c 100Mi 200Mi }]"},
		"rounded up":                      {nil, 3, 1, to("1Gi", "1.1"), 0, "[{c 4Mi 2Mi 3Mi}]", "[{c 3Mi 4Mi }]"},
		"with a maximum since lowered":    {known, 120, 0, to("150Mi", "2"), 0, fmt.Sprint(known), "[{c 120Mi 150Mi }]"},
		"no policy":                       {known, 200, 200, nil, 0, "[]", "[]"},
		"a plugin":                        {nil, 100, 100, nil, 3, "[{c 300Mi 300Mi 100Mi}]", "[{c 100Mi 300Mi }]"},
		"a plugin, up to four times":      {known, 300, 300, nil, 3, "[{c 400Mi 400Mi 100Mi}]", "[{c 300Mi 400Mi }]"},
		"a plugin within the policy":      {known, 200, 200, to("1Gi", "2"), 4, "[{c 800Mi 800Mi 100Mi}]", "[{c 200Mi 800Mi }]"},
		"a plugin, up to its maximum":     {known, 200, 200, to("500Mi", "2"), 4, "[{c 500Mi 500Mi 100Mi}]", "[{c 200Mi 500Mi }]"},
		"a maximum that is no number":     {nil, 100, 100, to("much", "2"), 0, "[]", "[]"},
		"a factor that is none":           {nil, 100, 100, to("1Gi", "0.5"), 0, "[]", "[]"},
		"more than there are numbers for": {nil, 1 << 40, 0, to("8191Pi", "10"), 0, "[{c 8191Pi  1Ei}]", "[{c 1Ei 8191Pi }]"},
	} {
		t.Run(name, func(t *testing.T) {
			lacking := []completion.Container{{Name: "c", MemoryLimit: test.limit * mebibyte, MemoryRequest: test.request * mebibyte}}
			next, changes := memory.Raise(test.list, lacking, memory.PolicyOf(test.onOOM, test.advised))
			if fmt.Sprint(next) != test.want || fmt.Sprint(changes) != test.change {
				t.Errorf("got %v and %v, want %s and %s", next, changes, test.want, test.change)
			}
		})
	}
}

// A lowered maximum also limits the memory learned before.
func TestWithin(t *testing.T) {
	list := []v1.ContainerMemory{{Container: "c", Limit: "4Gi", Request: "2Gi"}, {Container: "d", Limit: "1Gi"}}
	for most, want := range map[string]string{"8Gi": "[{c 4Gi 2Gi } {d 1Gi  }]", "3Gi": "[{c 3Gi 2Gi } {d 1Gi  }]", "512Mi": "[{c 512Mi 512Mi } {d 512Mi  }]"} {
		if got := memory.Within(list, &v1.OnOOMSpec{MaxMemory: most}); fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %s", most, got, want)
		}
	}
	if got := memory.Within(list, nil); fmt.Sprint(got) != fmt.Sprint(list) || list[0].Limit != "4Gi" {
		t.Errorf("got %v", got)
	}
}
