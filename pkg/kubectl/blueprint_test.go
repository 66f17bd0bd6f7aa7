package kubectl

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// created runs create without a cluster. The line is split at blanks; | is replaced by a blank within an argument.
func created(t *testing.T, line string) (out, errOut string, code int) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var args []string
	for _, arg := range strings.Fields(line) {
		args = append(args, strings.ReplaceAll(arg, "|", " "))
	}
	streams, _, text, wrong := genericiooptions.NewTestIOStreams()
	code = Run(t.Context(), streams, append([]string{"create"}, args...))
	return text.String(), wrong.String(), code
}

// testdata/create has the manifests that create makes from flags; go test -rewrite regenerates them.
func TestCreatedManifests(t *testing.T) {
	for name, line := range map[string]string{
		"smallest": "train --image train:1",
		"command":  "train --role worker=4 --image train:1 --retries 3 --cpu 4 --memory 16Gi --gpu 8 -e EPOCHS=10 --env PATTERN=a=b,c -n research -- python train.py --lr 0.1",
		"gang":     "train --role worker=4 --image train:1 --gang --queue research --retries 2 -- train",
		"barrier":  "train --role ps=2 --role worker=4 --image train:1 --barrier --dns -- python|train.py",
		"roles":    "train --role ps=2 --role worker=4 --image worker=train:1 --image ps=serve:1 --gpu 8 --gpu ps=0 --memory worker=1.5Gi --succeed-at worker=3 --fail-at worker=2 --service-account own",
		"all": "train --image registry.example.com:5000/train@sha256:0 --gang --gang-timeout 1h --barrier-image registry.example.com/barrier:1 --service-account own " +
			"--gpu 1 --gpu-resource amd.com/gpu --retries -1 -- sh -c echo|$FB_WORKER_IPS",
	} {
		t.Run(name, func(t *testing.T) {
			flags, command, hasCommand := strings.Cut(line, " -- ")
			line = flags + " --dry-run=client -o yaml"
			if hasCommand {
				line += " -- " + command
			}
			got, errOut, code := created(t, line)
			if code != 0 || errOut != "" {
				t.Fatalf("exit code %d: %s", code, errOut)
			}
			path := filepath.Join("testdata", "create", name+".yaml")
			if flag.Lookup("rewrite").Value.String() == "true" {
				require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
				require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
			}
			if want := read(t, path); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			var f v1.Framework
			require.NoError(t, yaml.UnmarshalStrict([]byte(got), &f))
		})
	}
}

// JSON has the same fields as YAML. The other formats print one line.
func TestCreateOutputs(t *testing.T) {
	text, _, _ := created(t, "train --image i --dry-run=client -o yaml")
	asJSON, _, code := created(t, "train --image i --dry-run=client -o json")
	require.Zero(t, code)
	require.YAMLEq(t, text, asJSON)
	for format, want := range map[string]string{"": "framework/train created (client dry run)\n", "-o name": "framework.frameworkcontroller.microsoft.com/train\n"} {
		if got, errOut, _ := created(t, "fw/train --image i --dry-run=client "+format); got != want {
			t.Errorf("%q: got %q, %s", format, got, errOut)
		}
	}
}

// Files are proposed only for the command.
func TestCreateCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"create ": ":4", "create train --image ": ":4", "create train --queue ": ":4", "create train --dry-run ": "none\nclient\nserver\n:4",
		"create train --image i -- python ": ":0",
	} {
		streams, _, out, _ := genericiooptions.NewTestIOStreams()
		if code := Run(t.Context(), streams, append([]string{"__complete"}, strings.Split(line, " ")...)); code != 0 || strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: exit code %d, %q", line, code, out)
		}
	}
}

// A manifest gets no comments if they would change it, for example where a line of a command looks like a field.
func TestReasonsAreComments(t *testing.T) {
	manifest := "command:\n- |\n  restartPolicy: Never\n"
	if got := withReasons(manifest); got != manifest {
		t.Errorf("got %s", got)
	}
}

// The message for each mistake names the flag and the solution.
func TestCreateBadInput(t *testing.T) {
	for line, want := range map[string]string{
		"--image i":                             "name the Framework to create: kubectl framework create NAME",
		"a b --image i":                         `unexpected argument "b": the command comes after --`,
		"my-Train --image i":                    `"my-Train": the name of a Framework has 1 to 63 lower-case letters and digits, such as mytrain`,
		"train":                                 "role worker has no image: add --image IMAGE, or --image worker=IMAGE for this role alone",
		"train --image i --":                    "there is no command after --: add it, or leave out --",
		"train --image i --role worker=0":       "--role worker=0: the number must be from 1 to 10000",
		"train --image i --role worker":         "--role worker: write it as ROLE=NUMBER, such as worker=4",
		"train --image i --role my-role=1":      "--role my-role=1: the name of a role has 1 to 63 lower-case letters and digits, such as myrole",
		"train --image i --role a=1 --role a=2": "--role a=2: role a is given twice",
		"train --image i --role a=9999 --role b=9999 --role c=9": "--role c=9: a Framework has at most 20000 Tasks in all roles",
		"train --image chief=i":                                  `--image chief=i: there is no role "chief"; add it with --role, or use one of these: worker`,
		"train --image i --image j":                              "--image j: it is given twice for all roles; write ROLE=VALUE for one",
		"train --image i --image worker=":                        `--image "worker=": write it as VALUE for all roles, or ROLE=VALUE for one`,
		"train --image i --role ps=1 --image ps=i --image ps=j":  "--image ps=j: it is given twice for role ps",
		"train --image i --gpu 0.5":                              "--gpu 0.5: this is no amount; write it like 8",
		"train --image i --gpu -1":                               "--gpu -1: this is no amount",
		"train --image i --cpu 0":                                "--cpu 0: this is no amount; write it like 4 or 500m",
		"train --image i --memory lots":                          "--memory lots: this is no amount; write it like 16Gi",
		"train --image i --memory 1e999999999":                   "--memory 1e999999999: this is no amount",
		"train --image i --env EPOCHS":                           "--env EPOCHS: write it as NAME=VALUE, such as EPOCHS=10",
		"train --image i --retries -2":                           "--retries -2: use the number of retries, or -1 for no limit",
		"train --image i --gang-timeout 1h":                      "--gang-timeout limits how long a gang may take to be placed: add --gang",
		"train --image i --gang --gang-timeout 1ms":              "--gang-timeout 1ms: use whole seconds, such as 30m, or 0 to wait forever",
		"train --image i --gang --gang-timeout 1500ms":           "--gang-timeout 1.5s: use whole seconds, such as 30m, or 0 to wait forever",
		"train --image i --gang --gang-timeout -5m":              "--gang-timeout -5m0s: use whole seconds, such as 30m, or 0 to wait forever",
		"train --image i --gang --gang-timeout 600000h":          "--gang-timeout 600000h0m0s: use whole seconds",
		"train --image i --gang-timeout 0":                       "--gang-timeout limits how long a gang may take to be placed: add --gang",
		"train --image i --barrier-image= -- train":              "--barrier-image is empty: name the image, or leave out the flag for frameworkcontroller/frameworkbarrier:dev",
		"train --image i --barrier":                              "--barrier needs the command, as a shell reads the addresses and then starts it: add -- COMMAND ARGS",
		"train --image i --succeed-at chief=1":                   `--succeed-at chief=1: there is no role "chief"`,
		"train --image i --succeed-at worker=2":                  "--succeed-at worker=2: role worker has only 1 Task",
		"train --image i --fail-at worker=0":                     "--fail-at worker=0: the number must be from 1 to 10000",
		"train --image i --dry-run=odd":                          "--dry-run=odd: use none, client or server",
		"train --image i -o wide":                                "-o wide: unknown output format; use yaml, json or name",
	} {
		out, errOut, code := created(t, line)
		if code != exitError || out != "" || !strings.Contains(errOut, want) {
			t.Errorf("%s: exit code %d, %q%s\nwant %s", line, code, out, errOut, want)
		}
	}
}
