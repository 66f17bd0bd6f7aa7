package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
)

const convertedFiles = "../../pkg/convert/testdata/files/"

// Converted files, as people write them, are accepted by the API server, have the Pods that the source would have had, and run to their
// end.
func TestConverted(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(convertedFiles + "*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".yaml"), func(t *testing.T) {
			t.Parallel()
			object := readObject(t, path)
			result, err := convert.Object(object)
			require.NoError(t, err)
			c := &converted{story: newStory(t), source: readSource(t, object), seen: map[string]*corev1.Pod{}}
			c.create(result.Framework)
			c.runToEnd()
			c.compare()
		})
	}
}

func readObject(t *testing.T, path string) (object map[string]any) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &object))
	return object
}

// converted is a Framework that was converted from an object of another system.
type converted struct {
	*story
	source *source
	name   string
	roles  []string
	seen   map[string]*corev1.Pod
}

// create stores the Framework, all of whose fields the API server must know, and lets it begin.
func (c *converted) create(framework map[string]any) {
	c.t.Helper()
	f := &unstructured.Unstructured{Object: framework}
	f.SetNamespace("")
	held, _, _ := unstructured.NestedBool(framework, "spec", "suspend")
	if want := c.source.held(); held != want {
		c.t.Errorf("it is held: %t, and the source: %t", held, want)
	}
	stored, err := c.raw.Create(c.t.Context(), f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	require.NoError(c.t, err)
	c.name = stored.GetName()
	roles, _, _ := unstructured.NestedSlice(framework, "spec", "taskRoles")
	for _, role := range roles {
		c.roles = append(c.roles, role.(map[string]any)["name"].(string))
	}
	if c.source.held() { // held by its user, who resumes it
		_, err := c.raw.Patch(c.t.Context(), c.name, types.MergePatchType, []byte(`{"spec": {"suspend": false}}`), metav1.PatchOptions{})
		require.NoError(c.t, err)
	}
}

// runToEnd lets Pods succeed when exactly the Pods exist that the source would have had at that time, until the Framework has succeeded.
func (c *converted) runToEnd() {
	c.t.Helper()
	ended := map[string]bool{}
	c.eventually(func(ctx context.Context) error {
		list, err := c.pods.List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for i := range list.Items {
			c.bind(ctx, &list.Items[i])
			c.seen[list.Items[i].Name] = &list.Items[i]
		}
		all := c.allAtOnce(ended)
		for i := range list.Items {
			p := &list.Items[i]
			if p.Status.Phase == corev1.PodRunning && !ended[p.Name] && (all || c.isFirst(p)) {
				ended[p.Name] = c.succeed(ctx, p)
			}
		}
		f, err := c.frameworks.Get(ctx, c.name, metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case f.Status == nil || f.Status.State != v1.Completed:
			return fmt.Errorf("it has not ended: %d Pods seen, %d ended", len(c.seen), len(ended))
		case f.Status.AttemptStatus.CompletionStatus.Code != 0:
			c.t.Errorf("it ended with %+v", f.Status.AttemptStatus.CompletionStatus)
		}
		return nil
	})
}

// allAtOnce reports whether of every role as many Pods run as the source would run at once.
func (c *converted) allAtOnce(ended map[string]bool) bool {
	c.t.Helper()
	want, live := map[int]int{}, map[int]int{}
	for _, p := range c.source.pods() {
		want[p.role]++
	}
	for name, p := range c.seen {
		role := slices.Index(c.roles, p.Labels[v1.KeyTaskRoleName])
		if live[role]++; ended[name] {
			live[role]--
			want[role]--
		}
	}
	all := true
	for role, left := range want {
		most := c.source.atOnce(role, left)
		if live[role] > most {
			c.t.Errorf("%d Pods of role %s run at once, and the source would run %d", live[role], c.roles[role], most)
		}
		all = all && live[role] == most
	}
	return all
}

// bind puts a Pod on a node, without the scheduler, claims and devices that it would need: these do not exist.
func (c *converted) bind(ctx context.Context, p *corev1.Pod) {
	if p.Spec.NodeName == "" && time.Since(p.CreationTimestamp.Time) > time.Second {
		nodes, err := core.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		if err == nil && len(nodes.Items) > 0 {
			c.pods.Bind(ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: p.Name}, Target: corev1.ObjectReference{Kind: "Node", Name: nodes.Items[0].Name}}, metav1.CreateOptions{})
		}
	}
}

func (c *converted) isFirst(p *corev1.Pod) bool {
	return c.source.first()[slices.Index(c.roles, p.Labels[v1.KeyTaskRoleName])]
}

func (c *converted) succeed(ctx context.Context, p *corev1.Pod) bool {
	p = p.DeepCopy()
	p.Status.Phase = corev1.PodSucceeded
	for i := range p.Status.ContainerStatuses {
		of := &p.Status.ContainerStatuses[i]
		of.Ready = false
		of.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed", FinishedAt: metav1.Now()}}
	}
	_, err := c.pods.UpdateStatus(ctx, p, metav1.UpdateOptions{})
	return err == nil
}

// compare requires each Pod that the source would have had, with the same properties.
func (c *converted) compare() {
	c.t.Helper()
	want := c.source.pods()
	if len(c.seen) != len(want) {
		c.t.Errorf("%d Pods, want %d", len(c.seen), len(want))
	}
	for _, w := range want {
		name := v1.PodName(c.name, c.roles[w.role], int32(w.index))
		got := c.seen[name]
		if got == nil {
			c.t.Errorf("there was no Pod %s", name)
			continue
		}
		w.template.Spec.Volumes = c.stored(w.template.Spec.Volumes)
		for file, text := range w.firstFiles {
			w.firstFiles[file] = c.addressed(text)
		}
		for _, difference := range differences(w, got) {
			c.t.Errorf("Pod %s: %s", name, difference)
		}
	}
}

func differences(want *sourcePod, got *corev1.Pod) (all []string) {
	differs := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			all = append(all, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	for key, value := range want.template.Labels {
		if !strings.HasSuffix(key, "controller-uid") {
			differs("label "+key, got.Labels[key], value)
		}
	}
	for key, value := range want.template.Annotations {
		differs("annotation "+key, got.Annotations[key], value)
	}
	for key, value := range want.selected() {
		differs("label "+key, got.Labels[key], value)
	}
	if want.hostname != "" {
		differs("hostname", got.Spec.Hostname, want.hostname)
	}
	if want.template.Spec.Subdomain != "" {
		differs("subdomain", got.Spec.Subdomain, want.template.Spec.Subdomain)
	}
	differs("hostNetwork", got.Spec.HostNetwork, want.template.Spec.HostNetwork)
	if want.dnsPolicy != "" {
		differs("dnsPolicy", got.Spec.DNSPolicy, want.dnsPolicy)
	}
	all = append(all, missingVolumes(want.template.Spec.Volumes, got.Spec.Volumes)...)
	all = append(all, containerDifferences(want, got, want.template.Spec.InitContainers, got.Spec.InitContainers)...)
	return append(all, containerDifferences(want, got, want.template.Spec.Containers, got.Spec.Containers)...)
}

func containerDifferences(want *sourcePod, pod *corev1.Pod, templates, got []corev1.Container) (all []string) {
	if len(got) != len(templates) {
		return []string{fmt.Sprintf("%d containers, want %d", len(got), len(templates))}
	}
	differs := func(what string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			all = append(all, fmt.Sprintf("%s is %v, want %v", what, got, want))
		}
	}
	for i, template := range templates {
		c := got[i]
		differs("name", c.Name, template.Name)
		differs("image of "+c.Name, c.Image, template.Image)
		differs("args of "+c.Name, c.Args, template.Args)
		if len(template.Command) > 0 || i > 0 {
			differs("command of "+c.Name, c.Command, template.Command)
		}
		env := environment(c)
		for _, variable := range template.Env {
			differs(variable.Name+" of "+c.Name, env[variable.Name], variable.Value)
		}
		for name, pattern := range want.env {
			if !regexp.MustCompile("^" + pattern + "$").MatchString(env[name]) {
				all = append(all, fmt.Sprintf("%s of %s is %q, want %s", name, c.Name, env[name], pattern))
			}
		}
		for name, value := range want.firstEnv {
			if i > 0 {
				value = ""
			}
			differs(name+" of "+c.Name, env[name], value)
		}
		for _, m := range template.VolumeMounts {
			differs(m.MountPath+" of "+c.Name, mountIn(m.MountPath, c.VolumeMounts, pod.Spec.Volumes), mountIn(m.MountPath, template.VolumeMounts, want.template.Spec.Volumes))
		}
		differs("devices of "+c.Name, c.VolumeDevices, template.VolumeDevices)
		for folder, claim := range want.claims {
			differs(folder+" of "+c.Name, mountIn(folder, c.VolumeMounts, pod.Spec.Volumes), claimAt(folder, claim))
		}
		for file, text := range want.files {
			differs(file+" of "+c.Name, fileAt(pod, c, file), text)
		}
		for file, text := range want.firstFiles {
			if i > 0 {
				text = "no file"
			}
			differs(file+" of "+c.Name, fileAt(pod, c, file), text)
		}
	}
	return all
}

// environment is the environment of a container, with references to other variables resolved.
func environment(c corev1.Container) map[string]string {
	env := map[string]string{}
	for _, variable := range c.Env {
		env[variable.Name] = regexp.MustCompile(`\$\((\w+)\)`).ReplaceAllStringFunc(variable.Value, func(reference string) string {
			return env[strings.Trim(reference, "$()")]
		})
	}
	return env
}

// For any numbers in a file, the API server accepts the converted Framework, unless the converter refuses them.
func TestConvertedNumbersAreTaken(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(convertedFiles + "*.yaml")
	require.NoError(t, err)
	s := newStory(t)
	s.uncheck() // nothing is stored
	taken := 0
	for _, path := range paths {
		object := readObject(t, path)
		for _, place := range numbersIn(object["spec"].(map[string]any)) {
			before := place.of[place.key]
			for _, number := range []int64{0, 1, 7, 20_000, -1, 1 << 33} {
				place.of[place.key] = number
				result, err := convert.Object(object)
				if err != nil {
					continue
				}
				f := &unstructured.Unstructured{Object: result.Framework}
				_, err = s.raw.Create(t.Context(), f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll}})
				if taken++; err != nil {
					t.Errorf("%s with %s: %d: %v", filepath.Base(path), place.key, number, err)
				}
			}
			place.of[place.key] = before
		}
	}
	if taken < 300 {
		t.Errorf("only %d Frameworks were made", taken)
	}
}

// number is a place of a number in an object.
type number struct {
	of  map[string]any
	key string
}

// numbersIn returns the numbers of an object outside of Pod templates.
func numbersIn(object map[string]any) (all []number) {
	_, isPod := object["containers"]
	for key, value := range object {
		switch v := value.(type) {
		case int64, float64:
			all = append(all, number{object, key})
		case map[string]any:
			if !isPod {
				all = append(all, numbersIn(v)...)
			}
		case []any:
			for _, each := range v {
				if inner, ok := each.(map[string]any); ok && !isPod {
					all = append(all, numbersIn(inner)...)
				}
			}
		}
	}
	return all
}
