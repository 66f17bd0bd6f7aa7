package kubectl

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// misbehaviour is the variable that makes the test's own binary a plugin which misbehaves.
const misbehaviour = "MISBEHAVIOUR"

// serveMisbehaviour serves a misbehaving plugin, if the process is started as one.
func serveMisbehaviour() {
	what := os.Getenv(misbehaviour)
	if what == "" {
		return
	}
	plugin.Serve(plugin.Plugin{Version: "0.1", FailureClassifier: plugin.ClassifierFunc(
		func(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
			switch what {
			case "crashes":
				os.Exit(7)
			case "hangs":
				time.Sleep(time.Hour)
			}
			return plugin.Verdict(300, "", "Odd"), nil // lies
		})})
	os.Exit(0)
}

// Past failures are judged by other rules, and by real plugins, including one that crashes, hangs or lies; failures from the history are
// judged, too. Statuses that do not decode are reported.
func TestSimulate(t *testing.T) {
	t.Parallel()
	s := newScene(t, "simulated")
	s.create("oom", specOf("", role{simulated: ends("137", "reason=OOMKilled")}))
	s.create("seven", specOf("retryPolicy: {maxRetryCount: 1, fancyRetryPolicy: true}", role{simulated: ends("7")}))
	s.create("flaky", specOf("", role{simulated: ends("42"), retry: "fancyRetryPolicy: true, maxRetryCount: 2"}))
	for _, name := range []string{"oom", "seven", "flaky"} {
		s.until(name, "completed", completed)
		s.eventsSettle(name)
	}
	folder := t.TempDir()
	run := s.simulations(folder)
	own := filepath.Base(os.Args[0])
	for _, what := range []string{"crashes", "hangs", "lies"} {
		s.write(folder, what+".yaml", "plugins:\n- {name: "+what+", kind: FailureClassifier, command: "+own+", timeout: 300ms, env: {"+misbehaviour+": "+what+"}}\n")
	}
	s.write(folder, "controller.log", linesWith(controller.Text(), "[simulated/"))
	frameworks := kubectl(t, "list", "-o", "json", "-n", s.namespace).out
	s.write(folder, "saved.json", frameworks)
	s.write(folder, "nothing.log", "I1125 something else\n")

	exitcodes := []string{"--plugin", "bin/plugins/classifier-exitcodes"}
	text := []string{
		run("-f", "testdata/rules.yaml"),
		run(append(exitcodes, "-f", "testdata/exitcodes.yaml")...),
		run(exitcodes...),
		run("--plugin", "bin/plugins/classifier-podpattern", "-f", "testdata/rules.yaml"),
		run("--from", "saved.json", "-f", "testdata/rules.yaml"),
		run(append(exitcodes, "--from", "controller.log", "-f", "testdata/exitcodes.yaml")...),
		run("-f", "testdata/exitcodes.yaml"),
		run(append(exitcodes, "-f", "testdata/refused.yaml")...),
		run(append(exitcodes, "-f", "testdata/norules.yaml")...),
		run("--plugin", "bin/plugins/none"),
		run("--plugin", "bin/plugins/completion-taskcount"),
		run("--plugin", "/bin/true"),
		run("--from", "nothing.log", "-f", "testdata/rules.yaml"),
		run("--from", "saved.json", "-A", "-f", "testdata/rules.yaml"),
	}
	s.create("damaged", specOf("managedBy: example.com/test", role{}))
	s.writeStatus("damaged", damaged())
	text = append(text, run("-f", "../../example/config/default/frameworkcontroller.yaml"))
	requireGolden(t, "simulations.txt", strings.Join(text, "\n"))
	for what, want := range map[string]string{"crashes": "the process ended with exit status 7", "hangs": "no answer within 300ms", "lies": "a code must have a phrase"} {
		got := run("--plugin", own, "-f", what+".yaml") // the host does not always come to the same end
		for _, want := range []string{want, ", so the original code stays", "0 of another type", "gave no usable answer to 3 of 3 failures", "exit code 1"} {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", what, want, got)
			}
		}
	}
	s.requireUntouched(frameworks)
}

// simulations runs simulate, with the shipped plugins as bin/plugins, and files in a folder.
func (s *scene) simulations(folder string) (run func(args ...string) string) {
	found, err := filepath.Glob(filepath.Join(filepath.Dir(bin), "controller*", "plugins"))
	require.NoError(s, err)
	require.Len(s, found, 1)
	return func(args ...string) string {
		s.Helper()
		shownArgs := append([]string{"simulate"}, args...)
		real := []string{"simulate", "-n", s.namespace}
		for _, arg := range args {
			if path := filepath.Join(folder, arg); !strings.Contains(arg, "/") && exists(path) {
				arg = path
			}
			if arg == filepath.Base(os.Args[0]) {
				arg = os.Args[0]
			}
			real = append(real, strings.Replace(arg, "bin/plugins", found[0], 1))
		}
		text := shown(kubectl(s.T, real...), append(shownArgs, "-n", s.namespace)...)
		return strings.NewReplacer(folder+"/", "", found[0], "bin/plugins", os.Args[0], filepath.Base(os.Args[0])).Replace(text)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (s *scene) write(folder, name, text string) {
	s.Helper()
	require.NoError(s, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
}

func linesWith(text, part string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// requireUntouched: no attempt has written anything.
func (s *scene) requireUntouched(before string) {
	s.Helper()
	var list struct{ Items []v1.Framework }
	require.NoError(s, json.Unmarshal([]byte(before), &list))
	for i := range list.Items {
		was := &list.Items[i]
		if now := s.until(was.Name, "there", completed); now.ResourceVersion != was.ResourceVersion {
			s.Errorf("%s was changed", was.Name)
		}
	}
}
