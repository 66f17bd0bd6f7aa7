package e2e

import (
	"context"
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	retriedByPlugin = "Completed attempt=0 retried=0/0 code=0 Succeeded trigger=a-0\na-0 Completed retried=1/0 code=0 Succeeded\n"
	failedByRules   = "Completed attempt=0 retried=0/0 code=42 ContainerUnrecognizedFailed trigger=a-0\na-0 Completed retried=0/0 code=42 ContainerUnrecognizedFailed\n"
)

// Every plugin is killed every 100 ms while 50 Frameworks run. Frameworks that wait for their plugin end by its answer, all others by its
// answer or as they would without plugins, and none gets stuck.
func TestPluginsKilledAllTheTime(t *testing.T) {
	withPlugins(t, `
- {name: waited, kind: FailureClassifier, command: go-classifier, failurePolicy: Wait}
- {name: spared, kind: FailureClassifier, command: go-classifier, timeout: 1s}
- {name: taskcount, kind: CompletionPolicy, command: completion-taskcount, timeout: 1s}
`)
	awaitPlugins(t, 3)
	s := newStory(t)
	stop := killPlugins(t)
	pace := time.NewTicker(200 * time.Millisecond) // so that questions are asked all the time, too
	defer pace.Stop()
	for i := range 50 {
		s.create(fmt.Sprintf("f%d", i), fmt.Sprintf(`{plugins: [{name: %s}], taskRoles: [{name: a, taskNumber: 1, task: {
			retryPolicy: {fancyRetryPolicy: true, maxRetryCount: 0}, pod: %s}}]}`, chosenBy(i), pod("run-for", "0s", "exit-codes", "42,0")))
		<-pace.C
	}
	if killed := stop(); killed < 10 {
		t.Errorf("only %d plugins were killed", killed)
	}
	ends := s.awaitAllCompleted(50)
	count := map[string]int{}
	for i := range 50 {
		end := ends[fmt.Sprintf("f%d", i)]
		count[chosenBy(i)+" "+end]++
		if end != retriedByPlugin && (chosenBy(i) == "waited" || end != failedByRules) {
			t.Errorf("f%d, %s:\n%s", i, chosenBy(i), end)
		}
	}
	t.Logf("%v", count)
}

func chosenBy(i int) string { return []string{"waited", "spared"}[i%2] }

// killPlugins kills all plugins every 100 ms until stop, which returns how many that were.
func killPlugins(t *testing.T) (stop func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	killed := make(chan int)
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		n := 0
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				killed <- n
				return
			}
			for pid := range pluginProcesses(t) {
				if syscall.Kill(pid, syscall.SIGKILL) == nil {
					n++
				}
			}
		}
	}()
	return func() int {
		cancel()
		return <-killed
	}
}

// awaitAllCompleted returns how the Frameworks have ended, by their names, once all have.
func (s *story) awaitAllCompleted(n int) map[string]string {
	s.t.Helper()
	ends := map[string]string{}
	s.eventually(func(ctx context.Context) error {
		list, err := s.frameworks.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		var open []string
		for _, f := range list.Items {
			if f.Status == nil || f.Status.State != v1.Completed {
				open = append(open, f.Name)
				continue
			}
			ends[f.Name] = describe(f.Status)
		}
		if len(ends) < n {
			slices.Sort(open)
			return fmt.Errorf("%d of %d Frameworks have not ended: %v", n-len(ends), n, open)
		}
		return nil
	})
	return ends
}
