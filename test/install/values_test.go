package install

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

// A value that does not exist, or is of the wrong type, is refused before anything is installed, and named.
func TestUnknownValuesAreRefused(t *testing.T) {
	for value, named := range map[string][]string{
		"replicas=3":                  {"'replicas' not allowed"},
		"image.name=x":                {"/image", "'name' not allowed"},
		"rbac.hints.vulcano=true":     {"/rbac/hints", "'vulcano' not allowed"},
		"config.workerNumbers=3":      {"/config", "'workerNumbers' not allowed"},
		"plugins[0].comand=x":         {"/plugins/0", "'comand' not allowed"},
		"replicaCount=two":            {"/replicaCount", "want integer"},
		"image.pullPolicy=Sometimes":  {"/image/pullPolicy", "IfNotPresent"},
		"barrier.namespaces=default":  {"/barrier/namespaces", "want array"},
		"networkPolicy.from=everyone": {"/networkPolicy/from", "want array"},
		"history.enable=true":         {"/history", "'enable' not allowed"},
		"history.retain=never":        {"/history/retain", "does not match pattern"},
		"history.retainBytes=8GB":     {"/history/retainBytes", "does not match pattern"},
		"history.storage.size=many":   {"/history/storage/size", "does not match pattern"},
		"history.postgres.dsn=x":      {"/history/postgres", "'dsn' not allowed"},
		"history.failurePolicy=Fall":  {"/history/failurePolicy", "'Wait', 'Drop'"},
		"history.cluster=a/b":         {"/history/cluster", "does not match pattern"},
	} {
		_, err := runHelm(t.Context(), "template", name, chart, "--set", value)
		if err == nil {
			t.Errorf("%s is not refused", value)
			continue
		}
		for _, part := range named {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%s: %v; want %q in it", value, err, part)
			}
		}
	}
}

// about has values that concern objects installed by others.
var about = map[string]string{
	"monitoring.labels":                  "monitoring.rules.enabled=true",
	"monitoring.serviceMonitor.interval": "monitoring.serviceMonitor.enabled=true",
	"monitoring.dashboard.labels":        "monitoring.dashboard.enabled=true",
	"history.postgres.key":               historyWith + ",history.postgres.secretName=a",
	"history.postgres.replicas":          historyWith + ",history.postgres.secretName=a",
	"history.postgres.retainBytes":       historyWith + ",history.postgres.secretName=a",
	"history.tls.secretName":             "history.enabled=true",
}

// historyWith enables the history, with a certificate that is not another one each time.
const historyWith = "history.enabled=true,history.tls.secretName=mine"

// neededFor returns the values without which the one at the path has no effect.
func neededFor(path string) string {
	if needed := about[path]; needed != "" || !strings.HasPrefix(path, "history.") || path == "history.enabled" {
		return needed
	}
	if strings.HasPrefix(path, "history.logs.") && path != "history.logs.enabled" {
		return historyWith + ",history.logs.enabled=true"
	}
	return historyWith
}

// Each value changes the installation on its own. The defaults are in values.yaml, where users can read them, and nothing else is.
func TestEachValueMatters(t *testing.T) {
	defaults, others := leaves(t, chart+"/values.yaml"), leaves(t, everything)
	if got, want := slices.Sorted(maps.Keys(others)), slices.Sorted(maps.Keys(defaults)); !slices.Equal(got, want) {
		t.Errorf("%s has\n%v, and values.yaml\n%v", everything, got, want)
	}
	schema := schemaLeaves(t)
	if got := slices.Sorted(maps.Keys(defaults)); !slices.Equal(got, schema) {
		t.Errorf("values.yaml has\n%v, and the schema\n%v", got, schema)
	}
	for path, value := range others {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		var args []string
		if needed := neededFor(path); needed != "" {
			args = []string{"--set", needed}
		}
		usual := template(t, args...)
		changed := template(t, append(args, "--set-json", path+"="+string(text))...)
		if reflect.DeepEqual(usual, changed) {
			t.Errorf("%s=%s changes nothing", path, text)
		}
	}
}

// The chart and the controller know the same keys of the configuration.
func TestConfigurationKeys(t *testing.T) {
	s := readSchema(t)
	compare := func(what string, got schema, want reflect.Type) {
		t.Helper()
		if got, want := slices.Sorted(maps.Keys(got.Properties)), yamlKeys(want); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has\n%v, and the controller\n%v", what, got, want)
		}
	}
	compare("config", s.Properties["config"], reflect.TypeFor[config.Config]())
	compare("plugins", s.Definitions["plugin"], reflect.TypeFor[config.PluginSpec]())
}

// The values are added to the file in the image, and the controller accepts the result. Plugins of the values are asked first; a list in
// the configuration replaces the default one.
func TestConfiguration(t *testing.T) {
	shipped, err := config.Load("../../example/config/default/frameworkcontroller.yaml")
	require.NoError(t, err)
	got := configured(t, "config: {frameworkCompletedRetainSec: 2592001, logObjectSnapshot: {pod: {onPodDeletion: false}}}")
	want := *shipped
	want.FrameworkCompletedRetainSec, want.LogObjectSnapshot.Pod.OnPodDeletion = 2592001, false
	if !reflect.DeepEqual(got, &want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	const volcano = "plugins: [{name: volcano, kind: SchedulerHints, command: hints-volcano, parameters: {queue: default}}]"
	if got, want := pluginNames(configured(t, volcano)), append([]string{"volcano"}, pluginNames(shipped)...); !slices.Equal(got, want) {
		t.Errorf("plugins %v, want %v", got, want)
	}
	const alone = volcano + "\nconfig: {plugins: [], podFailureSpec: []}"
	got = configured(t, alone)
	if names := pluginNames(got); !slices.Equal(names, []string{"volcano"}) || len(got.PodFailureSpec) != 0 {
		t.Errorf("plugins %v, %d rules", names, len(got.PodFailureSpec))
	}
}

func configured(t *testing.T, values string) *config.Config {
	t.Helper()
	file := filepath.Join(t.TempDir(), "values.yaml")
	write(t, file, values)
	all := template(t, "--values", file)
	o := all["ConfigMap "+name+"/"+name]
	require.NotNil(t, o, values)
	data := o.Object["data"].(map[string]any)
	c, err := config.Parse([]byte(data["frameworkcontroller.yaml"].(string)))
	require.NoError(t, err)
	return c
}

func pluginNames(c *config.Config) (names []string) {
	for _, p := range c.PluginSpecs {
		names = append(names, p.Name)
	}
	return names
}

// leaves are the values of a file by their paths. A value is a leaf unless it is a map with a schema of ours.
func leaves(t *testing.T, path string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var values map[string]any
	require.NoError(t, yaml.Unmarshal(text, &values))
	found := map[string]any{}
	var walk func(prefix string, values map[string]any, s schema)
	walk = func(prefix string, values map[string]any, s schema) {
		for key, value := range values {
			if inner, ok := value.(map[string]any); ok && s.Properties[key].branches(key) {
				walk(prefix+key+".", inner, s.Properties[key])
				continue
			}
			found[prefix+key] = value
		}
	}
	walk("", values, readSchema(t))
	return found
}

func schemaLeaves(t *testing.T) (paths []string) {
	t.Helper()
	var walk func(prefix string, s schema)
	walk = func(prefix string, s schema) {
		for key, inner := range s.Properties {
			if inner.branches(key) {
				walk(prefix+key+".", inner)
			} else if key != "global" {
				paths = append(paths, prefix+key)
			}
		}
	}
	walk("", readSchema(t))
	slices.Sort(paths)
	return paths
}

type schema struct {
	Properties  map[string]schema `json:"properties"`
	Definitions map[string]schema `json:"definitions"`
}

// branches reports whether a value has values of the chart below it. Some have keys of somebody else.
func (s schema) branches(key string) bool {
	return len(s.Properties) > 0 && key != "config" && key != "resources"
}

func readSchema(t *testing.T) (s schema) {
	t.Helper()
	text, err := os.ReadFile(chart + "/values.schema.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &s))
	return s
}

func yamlKeys(of reflect.Type) (keys []string) {
	for i := range of.NumField() {
		if key, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
