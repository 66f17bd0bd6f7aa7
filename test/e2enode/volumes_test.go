package e2enode

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A retried Task finds its files in its volume. With Delete, volumes and files are deleted with the Task or the Framework. With Retain, they
// stay, and the next Framework with that name finds them.
func TestVolumes(t *testing.T) {
	t.Parallel()
	p := newProvisioner(t, "hostpath")
	s := newStory(t)
	s.apply("checkpointed")
	const first = "no checkpoint, and 0 results\ncheckpoint of attempt 0\n"
	s.awaitLog("checkpointed-worker-0", first)
	s.awaitLog("checkpointed-worker-1", first)
	before := s.awaitVolumes(p, "checkpointed-results", "checkpointed-worker-0-state", "checkpointed-worker-1-state")
	s.until("both workers have written to the shared volume", func(ctx context.Context) bool {
		seen, err := s.tryKubectl(ctx, "exec", "checkpointed-worker-0", "--", "cat", "/results/checkpointed-worker-0", "/results/checkpointed-worker-1")
		return err == nil && seen == "done\ndone\n"
	})

	s.kubectl("patch", "framework", "checkpointed", "--type=json", `--patch=[{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": 1}]`)
	after := s.awaitVolumes(p, "checkpointed-results", "checkpointed-worker-0-state")
	require.Subset(t, before, after)
	s.awaitRunning("checkpointed", 1)

	s.kubectl("delete", "framework", "checkpointed")
	after = s.awaitVolumes(p, "checkpointed-results")
	require.Subset(t, before, after)

	s.apply("checkpointed")
	const second = "no checkpoint, and 1 results\ncheckpoint of attempt 0\n"
	s.awaitLog("checkpointed-worker-0", first+second)
	s.awaitLog("checkpointed-worker-1", first+second)
	require.Subset(t, s.awaitVolumes(p, "checkpointed-results", "checkpointed-worker-0-state", "checkpointed-worker-1-state"), after)
}

// awaitLog waits until the Pods of that name have written this together.
func (s *story) awaitLog(pod, want string) {
	s.t.Helper()
	s.until("Pod "+pod+" has found its files", func(context.Context) bool { return s.log(pod, "app") == want })
}

// awaitVolumes waits until these, in order of their names, are the claims of the story, and only they have volumes and directories. It
// returns the volume of each claim.
func (s *story) awaitVolumes(p *provisioner, claims ...string) (volumeOf map[string]string) {
	s.t.Helper()
	s.until("only these have volumes: "+strings.Join(claims, ", "), func(ctx context.Context) bool {
		all, err := core.CoreV1().PersistentVolumeClaims(s.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false
		}
		volumeOf = map[string]string{}
		for _, c := range all.Items {
			if c.Status.Phase == corev1.ClaimBound {
				volumeOf[c.Name] = c.Spec.VolumeName
			}
		}
		return len(all.Items) == len(claims) && slices.Equal(slices.Sorted(maps.Keys(volumeOf)), claims) &&
			p.hasOnly(ctx, slices.Sorted(maps.Values(volumeOf)))
	})
	return volumeOf
}
