package kubectl

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd/api"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// taskPage is a page of docs/tasks whose commands are run on simulated nodes, in the order of the page.
type taskPage struct {
	name string
	// simulated has the ends of the containers by role, as simulated nodes run none.
	simulated map[string][]string
	// before has commands that replace the outside world, each run before a command of the page.
	before map[string]string
	// succeed are the Pods that succeed after a command of the page.
	succeed map[string][]string
}

var taskPages = []taskPage{
	{name: "delete"},
	{name: "give-tasks-volumes"},
	{name: "hand-over-to-another-controller"},
	{name: "read-the-status", succeed: map[string][]string{"kubectl get fw train": {"train-worker-0", "train-worker-1"}}},
	{name: "rescale"},
	{name: "run-many-tasks"},
	{name: "from-slurm-arrays"},
	{name: "start-and-stop"},
	{name: "start-roles-in-order", succeed: map[string][]string{
		`kubectl get fw order -o jsonpath='{.status.waiting.reason} {.status.waiting.role}{"\n"}'`: {"order-init-0"},
	}},
	{name: "suspend-and-resume"},
	{name: "retry-a-crashing-worker", simulated: map[string][]string{"worker": {"run-for=0s", "exit-codes=1,0"}}},
	{name: "retry-with-more-memory", simulated: map[string][]string{"worker": {"run-for=1s", "exit-codes=137,137,0", "reason=OOMKilled"}}},
	{name: "restart-workers-together"},
	{name: "limit-retries", simulated: map[string][]string{"worker": ends("1")}},
	{name: "avoid-a-bad-node", simulated: map[string][]string{"worker": {"run-for=0s", "exit-codes=1,0"}}},
	{name: "add-a-failure-rule", simulated: map[string][]string{"worker": ends("7")}},
	{name: "find-out-why-it-failed", simulated: map[string][]string{"worker": {"run-for=2s", "exit-code=1", "message=cannot open /data: no such file"}}},
	{name: "handle-lost-nodes", simulated: map[string][]string{"database": {"terminate-after=600s"}}, before: map[string]string{
		"kubectl framework list --waiting":             "kubectl delete pod careful-database-0 --wait=false",
		"kubectl framework delete careful --now --yes": "kubectl annotate pod careful-database-0 simulate.frameworkcontroller.io/terminate-after-", // the node is back
	}},
}

// The commands of a page print the output that it shows. Blocks marked as console are run. A manifest is saved under the name of its
// object, other YAML under the last file name in the text before it. A line "..." on the page matches any number of lines.
func TestTaskPages(t *testing.T) {
	t.Parallel()
	for _, p := range taskPages {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p.follow(newScene(t, "task-"+p.name))
		})
	}
}

func (p taskPage) follow(s *scene) {
	s.Helper()
	path := filepath.Join("../../docs/tasks", p.name+".md")
	text := page.Read(s, path)
	reader := newReader(s)
	var written strings.Builder
	end := 0
	for _, block := range page.Blocks(text, "yaml", "console") {
		shown := text[block.Begin:block.End]
		if block.Language == "yaml" {
			p.save(s, reader.dir, text[:block.Begin], block.Text)
		} else {
			shown = p.run(s, reader, block.Text)
		}
		written.WriteString(text[end:block.Begin] + shown)
		end = block.End
	}
	written.WriteString(text[end:])
	if *rewrite {
		require.NoError(s, os.WriteFile(path, []byte(written.String()), 0o644))
	}
}

var fileName = regexp.MustCompile("`(\\w+\\.yaml)`")

// save writes the file that a reader saves, with the ends of containers in the templates of Frameworks.
func (p taskPage) save(s *scene, dir, before, block string) {
	s.Helper()
	var object unstructured.Unstructured
	require.NoError(s, yaml.Unmarshal([]byte(block), &object.Object))
	file := object.GetName() + ".yaml"
	if object.GetKind() == "" {
		names := fileName.FindAllStringSubmatch(before, -1)
		if len(names) == 0 {
			return // only to be read
		}
		file = names[len(names)-1][1]
	}
	if len(p.simulated) > 0 && object.GetKind() == v1.FrameworkKind {
		block = p.ending(s, object)
	}
	require.NoError(s, os.WriteFile(filepath.Join(dir, file), []byte(block), 0o644))
}

// ending adds the ends of containers to the templates of a Framework.
func (p taskPage) ending(s *scene, object unstructured.Unstructured) string {
	s.Helper()
	roles, _, err := unstructured.NestedSlice(object.Object, "spec", "taskRoles")
	require.NoError(s, err)
	for _, role := range roles {
		role := role.(map[string]any)
		for _, end := range p.simulated[role["name"].(string)] {
			key, value, _ := strings.Cut(end, "=")
			require.NoError(s, unstructured.SetNestedField(role, value, "task", "pod", "metadata", "annotations", "simulate.frameworkcontroller.io/"+key))
		}
	}
	require.NoError(s, unstructured.SetNestedSlice(object.Object, roles, "spec", "taskRoles"))
	text, err := object.MarshalJSON()
	require.NoError(s, err)
	return string(text)
}

// run runs the commands of a block, and returns the block with their output where it differs.
func (p taskPage) run(s *scene, reader reader, block string) string {
	s.Helper()
	var out strings.Builder
	for _, part := range strings.Split("\n"+block, "\n$ ")[1:] {
		command, want := commandOf(part)
		if before := p.before[command]; before != "" {
			reader.run(s, before)
		}
		got := reader.until(s, command, want)
		for _, pod := range p.succeed[command] {
			s.writePod(pod, succeeded)
		}
		if strings.Contains(want, "...\n") || likeOutput(want).MatchString(alike(got)) {
			got = want // with the times and columns of the page
		}
		out.WriteString("$ " + command + "\n" + got)
	}
	return out.String()
}

// commandOf separates a command, which continues to the line on which its quotes are closed, from its output.
func commandOf(part string) (command, output string) {
	lines := strings.SplitAfter(strings.TrimSuffix(part, "\n")+"\n", "\n")
	for i := range lines {
		command = strings.Join(lines[:i+1], "")
		if strings.Count(command, "'")%2 == 0 {
			return strings.TrimSuffix(command, "\n"), strings.Join(lines[i+1:], "")
		}
	}
	return strings.TrimSuffix(command, "\n"), ""
}

// reader follows a page in a folder, with a kubeconfig for the namespace of the scene.
type reader struct{ dir, kubeconfig string }

func newReader(s *scene) reader {
	s.Helper()
	return reader{s.TempDir(), clustertest.Kubeconfig(s.T, kube, func(config *api.Config) {
		for _, c := range config.Contexts {
			c.Namespace = s.namespace
		}
	})}
}

// run returns the output of a command, as a reader in the namespace default sees it.
func (r reader) run(s *scene, command string) string {
	s.Helper()
	cmd := kube.Command(s.Context(), "bash", "-c", command)
	cmd.Dir = r.dir
	cmd.Env = append(cmd.Env, "PATH="+bin+":"+filepath.Dir(kube.Kubectl)+":"+os.Getenv("PATH"), "KUBECONFIG="+r.kubeconfig)
	out, err := cmd.CombinedOutput()
	text := string(out)
	if err != nil && cmd.ProcessState == nil {
		s.Fatalf("%s: %v", command, err)
	}
	if len(text) > 0 && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		text += fmt.Sprintf("exit code %d\n", code)
	}
	return masked(strings.ReplaceAll(text, s.namespace, "default"))
}

var exitCode = regexp.MustCompile(`(?m)^exit code \d+\n`)

var reads = regexp.MustCompile(`^kubectl (get|framework (explain|list|simulate|tasks|tree)) `)

// settled is how long the output of a command must stay the same before a page is rewritten with it.
const settled = 15 * time.Second

// until repeats a command until its output is the wanted one or, with -rewrite, stays the same. A command that may change something
// runs once.
func (r reader) until(s *scene, command, want string) (got string) {
	s.Helper()
	wanted := likeOutput(want)
	once := !reads.MatchString(command)
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	var last string
	var since time.Time
	_ = clustertest.Poll(ctx, func(context.Context) error {
		if got = r.run(s, command); !exitCode.MatchString(want) {
			got = exitCode.ReplaceAllString(got, "") // not every page shows it
		}
		if since.IsZero() || alike(got) != last {
			last, since = alike(got), time.Now()
		}
		if once || wanted.MatchString(last) || *rewrite && time.Since(since) >= settled {
			return nil
		}
		return fmt.Errorf("not yet")
	})
	if !*rewrite && !wanted.MatchString(alike(got)) {
		s.Errorf("$ %s\n%s\nwant\n%s", command, got, want)
	}
	return got
}

// likeOutput matches a text in which lines "..." match any lines. Line breaks and the width of columns do not matter.
func likeOutput(want string) *regexp.Regexp {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(alike(want)), `\.\.\.`, ".*") + "$")
}

var someTime = regexp.MustCompile(`\b\d+[smhd](\d+[sm])?\b`)

// alike drops the parts that differ from run to run, and line breaks.
func alike(text string) string {
	return strings.Join(strings.Fields(someTime.ReplaceAllString(masked(text), "12s")), " ")
}

// succeeded is the end of a Pod with the container main.
func succeeded(status *corev1.PodStatus) {
	status.Phase = corev1.PodSucceeded
	status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "app",
		State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}}}}
}
