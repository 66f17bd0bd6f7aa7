package api

import (
	"bytes"
	"errors"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// Examples of configuration files are valid, and every key is in one of them or in a table.
func TestManualNamesEveryConfigurationKey(t *testing.T) {
	shown := paths{}
	for _, e := range configurations(t) {
		if _, err := config.Parse([]byte(e.text)); err != nil {
			t.Errorf("%s: %v", e.at, err)
		}
		var fields map[string]any
		if err := yaml.Unmarshal([]byte(e.text), &fields); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		shown.collect("", fields)
	}
	for key := range configurationTable(t) {
		shown[key] = true
	}
	shown.require(t, configKeys())
}

// The defaults in the table equal the defaults of an empty file.
func TestManualConfigurationDefaults(t *testing.T) {
	var defaults map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(config.Default().String()), &defaults))
	for key, shown := range configurationTable(t) {
		value, found, err := unstructured.NestedFieldNoCopy(defaults, strings.Split(key, ".")...)
		require.NoError(t, err)
		want := ""
		if found {
			want = strings.Trim(asJSON(t, value), `"`)
		}
		if shown != want {
			t.Errorf("%s: the manual has default %q, want %q", key, shown, want)
		}
	}
}

// configurationTable returns the default that the manual gives for each key.
func configurationTable(t *testing.T) map[string]string {
	t.Helper()
	table := map[string]string{}
	for _, row := range page.Rows(page.Section(t, manualPage(t, "configuration.md"), "## Keys")) {
		if key := strings.Trim(row[0], "`"); key != row[0] {
			table[key] = row[1]
		}
	}
	if len(table) == 0 {
		t.Fatal("no table of keys is found")
	}
	return table
}

func configKeys() []string {
	return yamlKeys(reflect.TypeFor[config.Config](), "")
}

// yamlKeys lists the keys of a file that is decoded into a type, and the keys within them.
func yamlKeys(of reflect.Type, path string) []string {
	switch of.Kind() {
	case reflect.Pointer:
		return yamlKeys(of.Elem(), path)
	case reflect.Slice:
		if element := of.Elem(); element.Kind() == reflect.Struct || element.Kind() == reflect.Pointer {
			return yamlKeys(element, path+"[]")
		}
		return []string{path}
	case reflect.Struct:
		var found []string
		for i := range of.NumField() {
			if name, _, _ := strings.Cut(of.Field(i).Tag.Get("yaml"), ","); name != "" {
				found = append(found, yamlKeys(of.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))...)
			}
		}
		return found
	}
	return []string{path}
}

// firstParts returns the keys of the outermost level.
func firstParts(keys []string) []string {
	var parts []string
	for _, key := range keys {
		first, _, _ := strings.Cut(key, ".")
		parts = append(parts, strings.TrimSuffix(first, "[]"))
	}
	return parts
}

// Every flag in the help is in the table, and every flag in the table exists.
func TestManualNamesEveryFlag(t *testing.T) {
	var help bytes.Buffer
	if _, err := config.ParseFlags([]string{"--help"}, &help); err == nil {
		t.Fatal("--help is no request for help")
	}
	text := page.Section(t, manualPage(t, "configuration.md"), "## Flags")
	told := regexp.MustCompile(`(?m)^ +(--?[\w-]+)`).FindAllStringSubmatch(help.String(), -1)
	if len(told) == 0 {
		t.Fatalf("no flag is found in\n%s", help.String())
	}
	for _, flag := range told {
		if !regexp.MustCompile("`" + regexp.QuoteMeta(flag[1]) + "[ `=]").MatchString(text) {
			t.Errorf("%s is not in the manual", flag[1])
		}
	}
	for _, flag := range regexp.MustCompile("`(-[^`]+)`").FindAllStringSubmatch(text, -1) {
		args := strings.Fields(strings.NewReplacer("number", "4", "host:port", ":8080").Replace(flag[1]))
		if _, err := config.ParseFlags(args, &help); err != nil && !errors.Is(err, config.ErrHelp) {
			t.Errorf("%s: %v", flag[1], err)
		}
	}
}
