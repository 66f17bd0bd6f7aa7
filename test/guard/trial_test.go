package guard

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

var patience = machine.Within(2 * time.Minute)

// mistake makes the controller worse. The zero value does not.
type mistake struct {
	inRequests func(next http.RoundTripper) http.RoundTripper // nil for none
	inRounds   func()                                         // nil for none; called in each round, at its end
}

// trial is a controller that runs against an API server.
type trial struct {
	*apitest.Server
	t          *testing.T
	controller *controller.Controller
	rounds     *rounds
	writes     *statusWrites
	stop       func() // and waits until the controller has ended
}

func start(t *testing.T, m mistake) *trial {
	t.Helper()
	// As with a real API server, requests share one connection: each connection costs memory and goroutines.
	s := &trial{Server: apitest.StartTLS(t), t: t, rounds: newRounds(m), writes: &statusWrites{}}
	config := s.Config()
	config.Wrap(s.writes.wrap)
	if m.inRequests != nil {
		config.Wrap(m.inRequests)
	}
	clients, err := controller.NewClients(config)
	require.NoError(t, err)
	s.controller, err = controller.New(clients, controller.Options{
		Workers:   4,
		Lifecycle: lifecycle.Config{CreationTimeout: 10 * time.Minute, CompletedRetention: time.Hour},
		CRD:       apiserver.CRDOptions{Manifest: crd.Manifest, CheckInterval: 10 * time.Millisecond, CheckTimeout: patience},
		Log:       hclog.NewNullLogger(),
		Observer:  s.rounds,
	})
	require.NoError(t, err)
	s.run()
	t.Cleanup(s.stop)
	return s
}

func (s *trial) run() {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	c := s.controller
	go func() { ended <- c.Run(ctx) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Errorf("Run returned %v", err)
		}
	})
}

// create stores Frameworks of one role, each of as many Tasks, and waits until every status has all Pods.
func (s *trial) create(frameworks, tasks int) {
	s.t.Helper()
	for i := range frameworks {
		s.Create(apitest.Frameworks, framework(i, tasks))
	}
	s.awaitTasks(v1.AttemptPreparing, frameworks*tasks)
}

// runAll lets every Pod run, and waits until every status shows it.
func (s *trial) runAll() {
	s.t.Helper()
	pods := s.List(apitest.Pods)
	for _, pod := range pods {
		s.RunPod(pod.GetName())
	}
	s.awaitTasks(v1.AttemptRunning, len(pods))
}

func (s *trial) awaitTasks(state v1.State, n int) {
	s.t.Helper()
	s.await(fmt.Sprintf("%d Tasks in %s", n, state), func() bool { _, tasks := s.in(state); return tasks == n })
}

// in returns how many Frameworks and Tasks are in a state.
func (s *trial) in(state v1.State) (frameworks, tasks int) {
	for _, c := range s.controller.StateCounts() {
		if c.State == state {
			return int(c.Frameworks), int(c.Tasks)
		}
	}
	return 0, 0
}

func (s *trial) await(what string, holds func() bool) {
	s.t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatalf("still not: %s", what)
		}
	}
}

func name(i int) string { return fmt.Sprintf("guard%d", i) }

func framework(i, tasks int) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": v1.SchemeGroupVersion.String(),
		"kind":       v1.FrameworkKind,
		"metadata":   map[string]any{"name": name(i)},
		"spec": map[string]any{
			"executionType": string(v1.ExecutionStart),
			"taskRoles": []any{map[string]any{
				"name":       role,
				"taskNumber": int64(tasks),
				"frameworkAttemptCompletionPolicy": map[string]any{
					"minFailedTaskCount": int64(1), "minSucceededTaskCount": int64(-1),
				},
				"task": map[string]any{"pod": map[string]any{"spec": map[string]any{
					"restartPolicy": "Never",
					"containers":    []any{map[string]any{"name": "main", "image": "none"}},
				}}},
			}},
		},
	}}
}

const role = "worker"
