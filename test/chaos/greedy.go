package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// greedyNamespace belongs to an author whose Frameworks ask for too much. Their outcome does not matter, but they must end, without
// breaking any guarantee, and must not delay others (delays.go).
const greedyNamespace = "greedy"

// mostGreedy is how many of these Frameworks there are at most. The API server has to bear them, too.
const mostGreedy = 8

type greedy struct {
	frameworks dynamic.ResourceInterface
	figures    *figures
	made       int
	names      []string
}

// newGreedy makes the namespace.
func newGreedy(ctx context.Context, core kubernetes.Interface, client dynamic.Interface, f *figures) (*greedy, error) {
	_, err := core.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: greedyNamespace}}, metav1.CreateOptions{})
	frameworks := client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(greedyNamespace)
	return &greedy{frameworks: frameworks, figures: f}, err
}

// act creates, changes or deletes a Framework. A refusal or an outage of the API server is no error.
func (g *greedy) act(ctx context.Context, random *rand.Rand) error {
	n := random.IntN(10)
	switch {
	case len(g.names) == 0, n < 4 && len(g.names) < mostGreedy:
		shape := greedyShapes[random.IntN(len(greedyShapes))]
		name := fmt.Sprintf("%s%d", shape.name, g.made)
		if err := g.create(ctx, name, shape.spec(random)); err == nil {
			g.made++
			g.names = append(g.names, name)
			g.figures.count("greedy: " + shape.name)
		}
	case n < 8:
		patch := fmt.Sprintf(`[{"op": "replace", "path": "/spec/taskRoles/0/taskNumber", "value": %d}]`, random.IntN(100))
		if _, err := g.frameworks.Patch(ctx, g.names[random.IntN(len(g.names))], types.JSONPatchType, []byte(patch), metav1.PatchOptions{}); err == nil {
			g.figures.count("greedy: edits")
		}
	default:
		i := random.IntN(len(g.names))
		if err := g.frameworks.Delete(ctx, g.names[i], inForeground); err == nil || apierrors.IsNotFound(err) {
			g.names = append(g.names[:i], g.names[i+1:]...)
			g.figures.count("greedy: deletions")
		}
	}
	return nil
}

func (g *greedy) create(ctx context.Context, name, spec string) error {
	o := &unstructured.Unstructured{}
	text := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: %s}, spec: %s}", v1.SchemeGroupVersion, v1.FrameworkKind, name, spec)
	if err := json.Unmarshal([]byte(mustJSON(text)), &o.Object); err != nil {
		return err
	}
	_, err := g.frameworks.Create(ctx, o, metav1.CreateOptions{})
	return err
}

// leave deletes all that there is.
func (g *greedy) leave(ctx context.Context) error {
	return g.frameworks.DeleteCollection(ctx, inForeground, metav1.ListOptions{})
}

// greedyShapes are known to cost an unprotected controller much. Names of Frameworks begin with the name of their shape.
var greedyShapes = []struct {
	name string
	spec func(*rand.Rand) string
}{
	{"quantity", func(r *rand.Rand) string {
		return roleOfMany(strings.Repeat("q", 63), 2, fmt.Sprintf(`{spec: {containers: [
			{name: c, image: app, resources: {limits: {cpu: "1e-%d"}}}]}}`, 1_000_000_000+r.IntN(1_000_000_000)))
	}},
	{"containers", func(r *rand.Rand) string {
		return roleOfMany("a", 10, `{spec: {containers: [`+times("{}", 5_000+r.IntN(30_000))+`]}}`)
	}},
	{"parameters", func(r *rand.Rand) string {
		return fmt.Sprintf(`{plugins: [{name: podpattern, parameters: {x: [%s]}}], taskRoles: [{name: a, taskNumber: 20, task: {pod: %s}}]}`,
			times("0", 10_000+r.IntN(50_000)), failingPod)
	}},
	{"refused", func(r *rand.Rand) string {
		return roleOfMany("a", 10, `{spec: {containers: [{name: c, image: app, ports: [`+times("{}", 500+r.IntN(3_000))+`]}]}}`)
	}},
	{"patterns", func(r *rand.Rand) string {
		return fmt.Sprintf(`{plugins: [{name: podpattern, parameters: {podFailureSpec: [{code: 300, phrase: P, podPatterns: [{containers: [
			{messageRegex: "(%s){1000}"}]}]}]}}], taskRoles: [{name: a, taskNumber: 3, task: {pod: %s}}]}`, strings.Repeat("p", 100+r.IntN(3_000)), failingPod)
	}},
	{"storm", func(r *rand.Rand) string { return roleOfMany("a", 10+r.IntN(30), failingPod) }},
	{"many", func(r *rand.Rand) string {
		return roleOfMany("a", 1_000+r.IntN(4_000), `{spec: {serviceAccountName: none, containers: [{name: c, image: app}]}}`)
	}},
	{"deep", func(r *rand.Rand) string {
		depth := 100 + r.IntN(1_000)
		return roleOfMany("a", 3, `{spec: {containers: [{name: c, image: app}], x: `+strings.Repeat("[", depth)+strings.Repeat("]", depth)+`}}`)
	}},
}

const failingPod = `{metadata: {annotations: {simulate.frameworkcontroller.io/run-for: 0s, simulate.frameworkcontroller.io/exit-codes: "1"}},
	spec: {restartPolicy: Never, containers: [{name: c, image: app}]}}`

// roleOfMany is a spec that no failure ends before all Tasks have been tried.
func roleOfMany(name string, tasks int, pod string) string {
	return fmt.Sprintf(`{taskRoles: [{name: %s, taskNumber: %d, frameworkAttemptCompletionPolicy: {minFailedTaskCount: -1}, task: {pod: %s}}]}`, name, tasks, pod)
}

func times(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
