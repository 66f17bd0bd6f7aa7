package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// greedyTemplates are small, and take much where they are decoded, built, or answered. Each ends with the reason.
var greedyTemplates = []struct {
	did      string
	tasks    int
	template string
	says     string
}{
	{"a quantity with an exponent of 10 digits", 100, `{spec: {containers: [{name: c, image: app, resources: {limits: {cpu: "1e-2000000000"}}}]}}`,
		"exponent of -2000000000; it must be between -30 and 30"},
	{"100,000 empty containers", 100, `{"spec":{"containers":[{}` + strings.Repeat(",{}", 99_999) + `]}}`, "it has 100000 containers, and each gets the variables of its Task"},
	// Few, since the API server works on each for up to a second, one after the other.
	{"2,000 empty ports", 30, `{"spec":{"containers":[{"name":"c","image":"app","ports":[{}` + strings.Repeat(",{}", 1_999) + `]}]}}`,
		"spec.containers[0].ports[0].containerPort: Required value"},
}

// An author's small template does not become large in the controller, however many Tasks have it, and the neighbour continues.
func TestGreedyTemplates(t *testing.T) {
	unharmed(t)
	s, clock := newStory(t), startClock(t)
	for i, row := range greedyTemplates {
		t.Run(row.did, func(t *testing.T) {
			s := s.partOf(t)
			name := letters(50) + fmt.Sprint(i)
			s.create(name, fmt.Sprintf(`{taskRoles: [{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {minFailedTaskCount: %[2]d},
				task: {pod: %s}}]}`, letters(30), row.tasks, row.template))
			s.awaitWarning(name, "PodRefused", row.says)
			s.awaitWarning(name, "Completed", "PodCreationPermanentError")
			clock.lap(row.did)
		})
	}
	s.neighbour()
	var peak int
	if _, err := fmt.Sscanf(peakMemory(controller.run.PID()), "peak %d kB", &peak); err != nil || peak > 500<<10 {
		t.Errorf("the controller has taken %d KiB, %v", peak, err)
	}
}
