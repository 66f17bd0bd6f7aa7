package e2enode

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The manual is right about names and keys: each Pod of the ring finds the next one in DNS, and the launcher can log in to a worker.
func TestNetworkManual(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.applyText(yamlBlock(t, "../../docs/tasks/name-pods.md", "ring"))
	s.applyText(strings.ReplaceAll(yamlBlock(t, "../../docs/tasks/share-ssh-keys.md", "shells"), "my/mpi", mpiImage))

	ring := s.awaitCompleted("ring")
	s.requireOutcome("ring", ring.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	peers := addresses(ring, "peer")
	for i := range peers {
		next := (i + 1) % len(peers)
		log := s.log(fmt.Sprintf("ring-peer-%d", i), "main")
		require.Contains(t, log, fmt.Sprintf("PING ring-peer-%d.ring (%s)", next, peers[next]))
	}
	s.requireLaunched("shells")
	require.Equal(t, "shells-worker-0\n", saidOnly(s.log("shells-launcher-0", "main"), "shells-"))
}

// A retried Pod gets another address, but keeps its name. The Service for the name may be deleted in between: it is recreated.
func TestNames(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("names")
	s.until("the client has found the server", func(context.Context) bool {
		return saidOnly(s.log("names-client-0", "app"), "attempt ") == "attempt 0\n"
	})
	before := addresses(s.awaitRunning("names", 2).Status, "server")
	s.kubectl("delete", "service", "names")
	s.kubectl("exec", "names-server-0", "--", "touch", "/tmp/fail")
	f := s.awaitCompleted("names")
	s.requireOutcome("the Framework", f.AttemptStatus.CompletionStatus.CompletionStatus, 0, "Succeeded")
	require.Equal(t, "attempt 0\nattempt 1\n", saidOnly(s.log("names-client-0", "app"), "attempt "))
	require.NotEqual(t, before, addresses(f, "server"))
}

// Users other than root get at the keys as a group of theirs, and find Pods of another namespace by their longer names.
func TestKeysOfUsers(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.apply("keysofusers")
	s.requireLaunched("users")
	require.Equal(t, "user in users-worker-0\n", saidOnly(s.log("users-launcher-0", "main"), "user "))
}

// yamlBlock is the block of a document with the Framework of that name.
func yamlBlock(t *testing.T, document, framework string) string {
	t.Helper()
	named := regexp.MustCompile(`metadata:(\n  | \{)name: ` + framework + `\b`)
	for _, block := range page.Blocks(page.Read(t, document), "yaml") {
		if named.MatchString(block.Text) {
			return block.Text
		}
	}
	t.Fatalf("%s has no Framework %s", filepath.Base(document), framework)
	return ""
}
