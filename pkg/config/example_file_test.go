package config

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	defaultExample    = "../../example/config/default/frameworkcontroller.yaml"
	customizedExample = "../../example/config/customized/frameworkcontroller.yaml"
)

func load(t *testing.T, path string) *Config {
	t.Helper()
	c, err := Load(path)
	require.NoError(t, err)
	if w := c.Warnings(); w != nil {
		t.Errorf("%s: %q", path, w)
	}
	return c
}

func TestDefaultExampleHasTheDefaults(t *testing.T) {
	c := load(t, defaultExample)
	requireShippedPlugins(t, c)
	c.PodFailureSpec, c.PluginSpecs, c.rules = nil, nil, nil
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("got %s", c)
	}
}

// requireShippedPlugins: by default, plugins with the same rules answer in place of the built-in ones.
func requireShippedPlugins(t *testing.T, c *Config) {
	t.Helper()
	half := Bytes(512 << 20)
	want := []PluginSpec{
		{Name: "podpattern", Kind: "FailureClassifier", Command: "classifier-podpattern", MemoryLimit: &half},
		{Name: "taskcount", Kind: "CompletionPolicy", Command: "completion-taskcount", MemoryLimit: &half},
	}
	if !reflect.DeepEqual(c.PluginSpecs, want) {
		t.Errorf("got %+v", c.PluginSpecs)
	}
}

// The lines that are commented out must be right too: keys with their defaults above the list, samples below it.
func TestDefaultExampleUncommented(t *testing.T) {
	c := uncommented(t)
	if *c.KubeAPIServerAddress == "" || *c.KubeConfigFilePath != "" || *c.KubeClientQPS != 200 || *c.KubeClientBurst != 300 {
		t.Errorf("got %s", c)
	}
	c.KubeAPIServerAddress, c.KubeConfigFilePath, c.KubeClientQPS, c.KubeClientBurst = nil, nil, nil, nil
	requireShippedPlugins(t, c)
	c.PodFailureSpec, c.PluginSpecs, c.rules = nil, nil, nil
	if !reflect.DeepEqual(c, Default()) {
		t.Errorf("a key is not shown with its default: %s", c)
	}
}

// uncommented loads the default example with all commented-out lines, which have no space after the #, or two.
func uncommented(t *testing.T) *Config {
	t.Helper()
	text, err := os.ReadFile(defaultExample)
	require.NoError(t, err)
	code := regexp.MustCompile(`(?m)^#([a-zA-Z-]|  +[-a-zA-Z]+)`)
	return parse(t, code.ReplaceAllString(dropProse(string(text)), "$1"))
}

// dropProse removes the comment lines in front of podFailureSpec that are laid out as a table.
func dropProse(text string) string {
	before, after, _ := strings.Cut(text, "# The cause of a failure.")
	_, after, _ = strings.Cut(after, "\npodFailureSpec:")
	return before + "\npodFailureSpec:" + after
}

func TestDefaultExampleShowsEveryKey(t *testing.T) {
	text, err := os.ReadFile(defaultExample)
	require.NoError(t, err)
	fields := reflect.TypeFor[Config]()
	for i := range fields.NumField() {
		key, _, _ := strings.Cut(fields.Field(i).Tag.Get("yaml"), ",")
		if key != "" && !strings.Contains(string(text), "\n#"+key+":") && !strings.Contains(string(text), "\n"+key+":") {
			t.Errorf("%s is not shown", key)
		}
	}
}

func TestCustomizedExample(t *testing.T) {
	c := load(t, customizedExample)
	if *c.KubeClientQPS != 200 || c.WorkerNumber != 500 || c.LogObjectSnapshot.Pod.OnPodDeletion || len(c.PodFailureSpec) != 2 {
		t.Errorf("got %s", c)
	}
}

// The plugins in it are commented out, as not every machine has them. They are right nevertheless, and show every key.
func TestCustomizedExamplePlugins(t *testing.T) {
	text, err := os.ReadFile(customizedExample)
	require.NoError(t, err)
	c := parse(t, regexp.MustCompile(`(?m)^#([a-z-]|  )`).ReplaceAllString(string(text), "$1"))
	shown := map[string]bool{}
	for _, s := range c.PluginSpecs {
		fields := reflect.ValueOf(s)
		for i := range fields.NumField() {
			if !fields.Field(i).IsZero() {
				shown[fields.Type().Field(i).Name] = true
			}
		}
	}
	if want := reflect.TypeFor[PluginSpec]().NumField(); len(c.PluginSpecs) != 3 || len(shown) != want {
		t.Errorf("%d plugins show %d of %d keys", len(c.PluginSpecs), len(shown), want)
	}
}
