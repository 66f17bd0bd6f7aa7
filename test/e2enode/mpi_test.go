package e2enode

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example of MPI, but for its image and its requests: mpirun reaches each worker by ssh, with the keys of the Framework, at its name in
// DNS. Then the same with a program that uses MPI: its two processes send each other messages, and measure how long that takes. There
// mpirun cuts the names of the workers, as it does by default.
func TestMPI(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	const example = exampleDir + "mpi.yaml"
	fit := []string{"image: horovod/horovod:0.28.1\n", "image: " + mpiImage + "\n", `requests: {cpu: "1", memory: 4Gi}`, "requests: {cpu: 10m}"}
	s.applyFile(example, fit...)
	s.applyFile(example, append(fit, "  name: mpi\n", "  name: messages\n", `hostnames, value: "true"`, `hostnames, value: "false"`, " hostname\n", " NPopenmpi -n 10 -u 1024 -o /dev/null\n")...)

	s.requireLaunched("mpi")
	hosts := strings.Fields(saidOnly(s.log("mpi-launcher-0", "mpirun"), "mpi-"))
	slices.Sort(hosts)
	if want := []string{"mpi-worker-0", "mpi-worker-1"}; !slices.Equal(hosts, want) {
		t.Errorf("processes have run in %v, want %v", hosts, want)
	}
	s.requireLaunched("messages")
	log := s.log("messages-launcher-0", "mpirun")
	for _, want := range []string{"0: messages-worker-0\n", "1: messages-worker-1\n", " 1024 bytes     10 times -->"} {
		require.Contains(t, log, want)
	}
}

// requireLaunched waits for a Framework that its launcher completes, while workers would run on.
func (s *story) requireLaunched(name string) {
	s.t.Helper()
	f := s.awaitCompleted(name)
	s.requireOutcome(name, f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	for _, role := range f.AttemptStatus.TaskRoleStatuses {
		if role.Name != "worker" {
			continue
		}
		for _, task := range role.TaskStatuses {
			s.requireOutcome("a worker of "+name, task.AttemptStatus.CompletionStatus.CompletionStatus, -220, "FrameworkAttemptCompletion")
		}
	}
}
