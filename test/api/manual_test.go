package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

const manualFolder = "../../docs/"

// page is one file of the user manual.
type page struct {
	path, text string
}

func manual(t *testing.T) []page {
	t.Helper()
	paths, err := filepath.Glob(manualFolder + "user-manual/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var pages []page
	for _, path := range append(paths, manualFolder+"user-manual.md") {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, page{path, string(text)})
	}
	return pages
}

// manualPage returns the text of one page.
func manualPage(t *testing.T, name string) string {
	t.Helper()
	pages := manual(t)
	i := slices.IndexFunc(pages, func(p page) bool { return filepath.Base(p.path) == name })
	if i < 0 {
		t.Fatalf("there is no page %s", name)
	}
	return pages[i].text
}

// example is a block of YAML in the manual: complete manifests, a status, or a configuration file of the controller.
type example struct {
	at, text string
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// examples returns those blocks of the manual that begin with one of the keys.
func examples(t *testing.T, keys ...string) []example {
	t.Helper()
	var found []example
	for _, p := range manual(t) {
		for _, at := range yamlBlock.FindAllStringSubmatchIndex(p.text, -1) {
			text := p.text[at[2]:at[3]]
			first, _, _ := strings.Cut(text, ":")
			if slices.Contains(keys, first) {
				line := 1 + strings.Count(p.text[:at[0]], "\n")
				found = append(found, example{fmt.Sprintf("%s:%d", filepath.Base(p.path), line), text})
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("the manual has no example that begins with %v", keys)
	}
	return found
}

func manifests(t *testing.T) []example { return examples(t, "apiVersion") }
func statuses(t *testing.T) []example  { return examples(t, "status") }

// configurations are the remaining examples, so that every block is one of the three and none goes untested.
func configurations(t *testing.T) []example {
	return examples(t, firstParts(configKeys())...)
}

// frameworksIn returns the Frameworks in an example.
func frameworksIn(t *testing.T, e example) []map[string]any {
	t.Helper()
	var found []map[string]any
	for _, document := range strings.Split(e.text, "\n---\n") {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(document), &object); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		if object["kind"] == v1.FrameworkKind {
			found = append(found, object)
		}
	}
	return found
}

// Every block of YAML is a manifest, a status or a configuration, and so one of the tests below looks at it.
func TestManualHasNoOtherYAML(t *testing.T) {
	tested := len(manifests(t)) + len(statuses(t)) + len(configurations(t))
	all := 0
	for _, p := range manual(t) {
		all += strings.Count(p.text, "```yaml\n")
	}
	if tested != all {
		t.Errorf("%d blocks of YAML are there, %d of them are recognised", all, tested)
	}
}

// What a reader copies is accepted, with all its fields. That includes the Pods that the templates make.
func TestManualManifests(t *testing.T) {
	for _, e := range manifests(t) {
		t.Run(e.at, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "manifest.yaml")
			if err := os.WriteFile(file, []byte(e.text), 0o644); err != nil {
				t.Fatal(err)
			}
			kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
			for _, f := range frameworksIn(t, e) {
				applyPods(t, f)
			}
		})
	}
}

// applyPods lets the API server judge a Pod of each role.
func applyPods(t *testing.T, framework map[string]any) {
	t.Helper()
	roles, _, err := unstructured.NestedSlice(framework, "spec", "taskRoles")
	if err != nil {
		t.Fatal(err)
	}
	for i, role := range roles {
		pod, _, err := unstructured.NestedMap(role.(map[string]any), "task", "pod")
		if err != nil {
			t.Fatal(err)
		}
		pod["apiVersion"], pod["kind"] = "v1", "Pod"
		if err := unstructured.SetNestedField(pod, fmt.Sprintf("manual-%d", i), "metadata", "name"); err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(t.TempDir(), "pod.json")
		// Placeholders are no valid hostnames; what stands for them does not matter here.
		if err := os.WriteFile(file, regexp.MustCompile(`\{\{FC_\w+\}\}`).ReplaceAll(text, []byte("x")), 0o644); err != nil {
			t.Fatal(err)
		}
		kubectl(t, "apply", "--dry-run=server", "--validate=strict", "-f", file)
	}
}

// The manual shows what the API server makes of the smallest Framework.
func TestManualDefaults(t *testing.T) {
	var specs []any
	for _, e := range manifests(t) {
		for _, f := range frameworksIn(t, e) {
			object := &unstructured.Unstructured{Object: f}
			if object.GetName() != "smallest" {
				continue
			}
			stored, err := rawClient.Create(t.Context(), object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			if err != nil {
				t.Fatal(err)
			}
			specs = append(specs, f["spec"], stored.Object["spec"])
		}
	}
	if len(specs) != 4 {
		t.Fatalf("there are %d Frameworks called smallest, want it as written and as stored", len(specs)/2)
	}
	written, filledIn, shown := specs[0], specs[1], specs[2]
	if reflect.DeepEqual(written, filledIn) {
		t.Error("it shows no default")
	}
	if got, want := asJSON(t, shown), asJSON(t, filledIn); got != want {
		t.Errorf("shown  %s\nstored %s", got, want)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every field of the spec has its place in a complete example.
func TestManualNamesEveryFieldOfTheSpec(t *testing.T) {
	shown := paths{}
	for _, e := range manifests(t) {
		for _, f := range frameworksIn(t, e) {
			shown.collect("spec", f["spec"])
		}
	}
	shown.require(t, fieldsOf(specSchema(t), "spec"))
}

func specSchema(t *testing.T) map[string]any {
	t.Helper()
	var manifest map[string]any
	if err := yaml.Unmarshal(crd.Manifest, &manifest); err != nil {
		t.Fatal(err)
	}
	versions, _, err := unstructured.NestedSlice(manifest, "spec", "versions")
	if err != nil || len(versions) != 1 {
		t.Fatalf("the CRD has %d versions: %v", len(versions), err)
	}
	schema, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
	if err != nil || !found {
		t.Fatalf("the CRD has no schema of the spec: %v", err)
	}
	return schema
}

// fieldsOf lists the fields of a schema and of the schemas within it.
func fieldsOf(schema map[string]any, path string) []string {
	found := []string{path}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name, property := range properties {
			found = append(found, fieldsOf(property.(map[string]any), path+"."+name)...)
		}
	}
	if items, ok := schema["items"].(map[string]any); ok {
		found = append(found, fieldsOf(items, path+"[]")...)
	}
	return found
}

// Statuses in the manual could have been written by the controller, and together they show every field.
func TestManualNamesEveryFieldOfTheStatus(t *testing.T) {
	shown := paths{}
	for _, e := range statuses(t) {
		text, err := yaml.ToJSON([]byte(e.text))
		if err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		var fields map[string]any
		if err := json.Unmarshal(text, &fields); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		shown.collect("status", fields["status"])
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		if err := strict.Decode(&struct{ Status v1.FrameworkStatus }{}); err != nil {
			t.Errorf("%s: %v", e.at, err)
		}
	}
	shown.require(t, jsonFields(reflect.TypeFor[v1.FrameworkStatus](), "status"))
}

// The status that the manual explains field by field makes sense to the controller.
func TestManualStatusMakesSense(t *testing.T) {
	loaded := 0
	for _, e := range statuses(t) {
		var object struct{ Status v1.FrameworkStatus }
		if err := yaml.Unmarshal([]byte(e.text), &object); err != nil {
			t.Fatalf("%s: %v", e.at, err)
		}
		if object.Status.State == "" {
			continue // an excerpt
		}
		loaded++
		if _, err := lifecycle.Load(&object.Status); err != nil {
			t.Errorf("%s: %v", e.at, err)
		}
	}
	if loaded == 0 {
		t.Error("the manual has no complete status")
	}
}

// jsonFields lists the fields of a type of ours, and of such types within it, by their names in JSON.
func jsonFields(of reflect.Type, path string) []string {
	switch {
	case of.Kind() == reflect.Pointer:
		return jsonFields(of.Elem(), path)
	case of.Kind() == reflect.Slice && of.Elem().Kind() == reflect.Struct:
		return jsonFields(of.Elem(), path+"[]")
	case of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[v1.Framework]().PkgPath():
		return []string{path}
	}
	found := []string{path}
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
		if name == "" { // inline
			found = append(found, jsonFields(of.Field(i).Type, path)...)
			continue
		}
		found = append(found, jsonFields(of.Field(i).Type, path+"."+name)...)
	}
	return found
}

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

// The defaults in the table are those of a file in which nothing is set.
func TestManualConfigurationDefaults(t *testing.T) {
	var defaults map[string]any
	if err := yaml.Unmarshal([]byte(config.Default().String()), &defaults); err != nil {
		t.Fatal(err)
	}
	for key, shown := range configurationTable(t) {
		value, found, err := unstructured.NestedFieldNoCopy(defaults, strings.Split(key, ".")...)
		if err != nil {
			t.Fatal(err)
		}
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
	for _, row := range rowsOf(section(t, manualPage(t, "operations.md"), "## Configuration")) {
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

// Every flag that the help tells of is in the table, and every flag in the table exists.
func TestManualNamesEveryFlag(t *testing.T) {
	var help bytes.Buffer
	if _, err := config.ParseFlags([]string{"--help"}, &help); err == nil {
		t.Fatal("--help is no request for help")
	}
	text := section(t, manualPage(t, "operations.md"), "## Flags")
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

// Codes and phrases are those of the code and of the default configuration.
func TestManualCodes(t *testing.T) {
	text := manualPage(t, "failures.md")
	var want [][]string
	for _, e := range completion.Table() {
		want = append(want, []string{fmt.Sprint(e.Code), "`" + e.Phrase + "`", e.When})
	}
	requireRows(t, rowsOf(section(t, text, "## Codes")), want)

	c, err := config.Load("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		t.Fatal(err)
	}
	want = nil
	for _, rule := range c.PodFailureSpec {
		attributes := "none"
		if of := rule.Type.Attributes; len(of) > 0 {
			attributes = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(of)), ", "), "[]")
		}
		want = append(want, []string{fmt.Sprint(*rule.Code), "`" + rule.Phrase + "`", attributes})
	}
	requireRows(t, rowsOf(section(t, text, "## Default rules")), want)
}

func requireRows(t *testing.T, rows, want [][]string) {
	t.Helper()
	var got [][]string
	for _, row := range rows {
		if len(row) == 3 && strings.HasPrefix(row[1], "`") {
			got = append(got, row)
		}
	}
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// What the manual says about its example of rules is what they do.
func TestManualRules(t *testing.T) {
	text := section(t, manualPage(t, "failures.md"), "## Your own rules")
	block := yamlBlock.FindStringSubmatch(text)
	if block == nil {
		t.Fatal("there is no example")
	}
	c, err := config.Parse([]byte(block[1]))
	if err != nil {
		t.Fatal(err)
	}
	ended := time.Now()
	const message = "CUDA error: uncorrectable ECC error"
	tests := []struct {
		what string
		pod  completion.Pod
	}{
		{"container `main` exited with 1, message `" + message + "`", podOf(exited("main", 1, ended, message))},
		{"container `helper` exited with 1, the same message", podOf(exited("helper", 1, ended, message))},
		{"container `main` exited with 200, the same message", podOf(exited("main", 200, ended, message))},
		{"`helper` exited with 3, and 5 seconds later `main` with 4",
			podOf(exited("helper", 3, ended, ""), exited("main", 4, ended.Add(5*time.Second), ""))},
		{"the Pod has the reason `Reclaimed`", completion.Pod{Name: "p", Reason: "Reclaimed"}},
		{"the Pod has the reason `ReclaimedByUs`", completion.Pod{Name: "p", Reason: "ReclaimedByUs"}},
		{"`main` was ended by signal 9, reason `Error`", podOf(completion.Container{
			Name: "main", Terminated: true, Code: 137, Signal: 9, Reason: "Error"})},
	}
	var want [][]string
	for _, tt := range tests {
		outcome := c.Rules().Classify(tt.pod)
		want = append(want, []string{tt.what, fmt.Sprintf("%d `%s`", outcome.Code, outcome.Phrase)})
	}
	if got := rowsOf(text); len(got) == 0 || !slices.EqualFunc(got[1:], want, slices.Equal[[]string]) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func podOf(containers ...completion.Container) completion.Pod {
	return completion.Pod{Name: "p", Containers: containers}
}

func exited(name string, code int32, at time.Time, message string) completion.Container {
	return completion.Container{Name: name, Terminated: true, Code: code, Reason: "Error", Message: message, FinishedAt: at}
}

// Links lead to files and headings that exist.
func TestManualLinks(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	for _, p := range manual(t) {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			if strings.HasPrefix(m[1], "https://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := p.path
			if file != "" {
				target = filepath.Join(filepath.Dir(p.path), file)
			}
			if text, err := os.ReadFile(target); err != nil {
				if info, statErr := os.Stat(target); statErr != nil || !info.IsDir() {
					t.Errorf("%s: %v", p.path, err)
				}
			} else if anchor != "" && !slices.Contains(anchors(string(text)), anchor) {
				t.Errorf("%s: %s has no heading %s", p.path, target, anchor)
			}
		}
	}
}

// anchors lists the names under which the headings of a page are linked.
func anchors(text string) []string {
	var names []string
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		name := regexp.MustCompile(`[^\w -]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		names = append(names, strings.ReplaceAll(name, " ", "-"))
	}
	return names
}

// section returns what follows a heading, up to the next one of its level.
func section(t *testing.T, text, heading string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "\n"+heading+"\n")
	if !found {
		t.Fatalf("there is no heading %q", heading)
	}
	level, _, _ := strings.Cut(heading, " ")
	within, _, _ := strings.Cut(after, "\n"+level+" ")
	return within
}

// rowsOf returns the cells of the rows of all tables in a text.
func rowsOf(text string) [][]string {
	var rows [][]string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "| ") {
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

// paths are the places in YAML or JSON at which there is something, such as spec.taskRoles[].name.
type paths map[string]bool

func (p paths) collect(path string, value any) {
	p[path] = true
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			p.collect(strings.TrimPrefix(path+"."+name, "."), field)
		}
	case []any:
		for _, element := range v {
			p.collect(path+"[]", element)
		}
	}
}

func (p paths) require(t *testing.T, wanted []string) {
	t.Helper()
	for _, path := range wanted {
		if !p[path] {
			t.Errorf("%s is nowhere in the manual", path)
		}
	}
}
