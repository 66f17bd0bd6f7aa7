package pluginhost

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

func TestValidate(t *testing.T) {
	good := Config{Name: "a-1", Kind: plugin.KindFailureClassifier, Command: "classifier"}
	with := func(change func(*Config)) []Config {
		c := good
		change(&c)
		return []Config{c}
	}
	tests := []struct {
		name    string
		configs []Config
		want    []string
	}{
		{"nothing", nil, nil},
		{"least", []Config{good}, nil},
		{"most", with(func(c *Config) {
			c.Command, c.Env, c.Files = "/usr/bin/node", map[string]string{"PATH": "/bin"}, map[string]string{"/a.js": "", "/b.js": strings.Repeat("aB", 32)}
			c.SHA256, c.Timeout, c.FailurePolicy, c.Parameters = strings.Repeat("01", 32), time.Second, Wait, map[string]any{"a": []any{1.0}}
		}), nil},
		{"empty", []Config{{}}, []string{"plugins[0].name: is missing", "plugins[0].kind: must be", "plugins[0].command: is missing"}},
		{"same name", []Config{good, good}, []string{`plugins[1].name: "a-1" is already the name of plugins[0]`}},
		{"name", with(func(c *Config) { c.Name = "A" }), []string{"plugins[0].name: must be at most 63"}},
		{"relative", with(func(c *Config) { c.Command = "./x" }), []string{"plugins[0].command: must be the bare name"}},
		{"dots", with(func(c *Config) { c.Command = ".." }), []string{"plugins[0].command: must be the bare name"}},
		{"env", with(func(c *Config) { c.Env = map[string]string{"A=B": "", "PLUGIN_X": ""} }),
			[]string{`plugins[0].env: "A=B" is no`, "plugins[0].env: PLUGIN_X is set by the controller"}},
		{"files", with(func(c *Config) { c.Files = map[string]string{"x": "1"} }),
			[]string{"plugins[0].files: must name absolute", "plugins[0].files: the checksum of x"}},
		{"sha256", with(func(c *Config) { c.SHA256 = "x" }), []string{"plugins[0].sha256: must be 64"}},
		{"timeout", with(func(c *Config) { c.Timeout = time.Hour }), []string{"plugins[0].timeout: must be from 10ms to 5m0s, but is 1h0m0s; the default is 5s"}},
		{"policy", with(func(c *Config) { c.FailurePolicy = "No" }), []string{`plugins[0].failurePolicy: must be Wait or Fallback for kind FailureClassifier, but is "No"`}},
		{"policy of another kind", with(func(c *Config) { c.FailurePolicy = Drop }),
			[]string{`plugins[0].failurePolicy: must be Wait or Fallback for kind FailureClassifier, but is "Drop"`}},
		{"sink that waits", with(func(c *Config) { c.Kind, c.FailurePolicy = plugin.KindHistorySink, Wait }), nil},
		{"sink that drops", with(func(c *Config) { c.Kind, c.FailurePolicy = plugin.KindHistorySink, Drop }), nil},
		{"sink that falls back", with(func(c *Config) { c.Kind, c.FailurePolicy = plugin.KindHistorySink, Fallback }),
			[]string{`plugins[0].failurePolicy: must be Wait or Drop for kind HistorySink, but is "Fallback"`}},
		{"policy in shadow", with(func(c *Config) { c.Kind, c.Shadow = plugin.KindCompletionPolicy, true }),
			[]string{"plugins[0].shadow: must be absent for kind CompletionPolicy: only a FailureClassifier can be asked without deciding"}},
		{"classifier in shadow", with(func(c *Config) { c.Kind, c.Shadow = plugin.KindFailureClassifier, true }), nil},
		{"sink with parameters of Frameworks", with(func(c *Config) { c.Kind, c.FrameworkParameters = plugin.KindHistorySink, []string{} }),
			[]string{"plugins[0].frameworkParameters: must be absent for kind HistorySink"}},
		{"parameters", with(func(c *Config) { c.Parameters = map[string]any{"a": t} }), []string{"plugins[0].parameters: must be valid as JSON"}},
		{"no Framework may set any", with(func(c *Config) { c.FrameworkParameters = []string{} }), nil},
		{"parameters of Frameworks", with(func(c *Config) { c.FrameworkParameters = []string{"a", ""} }),
			[]string{"plugins[0].frameworkParameters[1]: must not be empty"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Validate("plugins", tt.configs)
			if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestPolicy(t *testing.T) {
	tests := []struct {
		config Config
		chosen bool
		want   FailurePolicy
	}{
		{Config{Kind: plugin.KindFailureClassifier}, true, Fallback},
		{Config{Kind: plugin.KindCompletionPolicy}, false, Fallback},
		{Config{Kind: plugin.KindCompletionPolicy}, true, Wait},
		{Config{Kind: plugin.KindSchedulerHints}, false, Wait},
		{Config{Kind: plugin.KindSchedulerHints, FailurePolicy: Fallback}, true, Fallback},
		{Config{Kind: plugin.KindFailureClassifier, FailurePolicy: Wait}, false, Wait},
		{Config{Kind: plugin.KindHistorySink}, false, Drop},
		{Config{Kind: plugin.KindHistorySink, FailurePolicy: Wait}, false, Wait},
	}
	for _, tt := range tests {
		if got := tt.config.Policy(tt.chosen); got != tt.want {
			t.Errorf("%+v, %t: got %s", tt.config, tt.chosen, got)
		}
	}
}
