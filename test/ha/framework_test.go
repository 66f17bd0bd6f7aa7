package ha

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// tasks of a Framework: enough to keep a controller busy for more than a moment.
const tasks = 400

// framework is a Framework whose Pods run until it is deleted.
type framework struct {
	t    *testing.T
	name string
}

var made int // Frameworks

func newFramework(t *testing.T) *framework {
	t.Helper()
	made++
	f := &framework{t: t, name: fmt.Sprintf("many%d", made)}
	object := &v1.Framework{}
	text := fmt.Sprintf(`{metadata: {name: %s}, spec: {taskRoles: [{name: a, taskNumber: %d,
		task: {pod: {spec: {containers: [{name: main, image: none}]}}}}]}}`, f.name, tasks)
	require.NoError(t, yaml.Unmarshal([]byte(text), object))
	client := frameworks.FrameworkControllerV1().Frameworks("default")
	if _, err := client.Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return f
}

// creations counts how often each Pod was created.
func (f *framework) creations() map[string]int {
	counts := map[string]int{}
	for _, w := range writes(f.t) {
		if w.is("create", "pods") && w.done() && strings.HasPrefix(w.ObjectRef.Name, f.name+"-a-") {
			counts[w.ObjectRef.Name]++
		}
	}
	return counts
}

// awaitPods waits until n Pods were created, and requires that it was not too late to interrupt their creation.
func (f *framework) awaitPods(n int) {
	f.t.Helper()
	found := 0
	eventually(f.t, fmt.Sprintf("%d Pods of %s are created", n, f.name), func() bool {
		found = len(f.creations())
		return found >= n
	})
	if found >= tasks {
		f.t.Fatalf("all Pods of %s were created before the test could interrupt that", f.name)
	}
}

// awaitRunning waits until all Tasks run.
func (f *framework) awaitRunning() {
	f.t.Helper()
	eventually(f.t, "all Tasks of "+f.name+" run", func() bool {
		got, err := frameworks.FrameworkControllerV1().Frameworks("default").Get(f.t.Context(), f.name, metav1.GetOptions{})
		if err != nil || got.Status == nil || got.Status.Tasks == nil {
			return false
		}
		return got.Status.Tasks.Running == tasks
	})
}

// requireEachPodOnce requires that there are as many Pods as Tasks, and that none was ever deleted. So each was created once. The log need
// not show every creation as such: the controller may have been killed before the answer.
func (f *framework) requireEachPodOnce() {
	f.t.Helper()
	ours := metav1.ListOptions{LabelSelector: v1.KeyFrameworkName + "=" + f.name}
	pods, err := core.CoreV1().Pods("default").List(f.t.Context(), ours)
	require.NoError(f.t, err)
	if len(pods.Items) != tasks {
		f.t.Errorf("there are %d Pods, want %d", len(pods.Items), tasks)
	}
	for name, n := range f.creations() {
		if n != 1 {
			f.t.Errorf("%s was created %d times", name, n)
		}
	}
	for _, w := range writes(f.t) {
		if w.is("delete", "pods") && strings.HasPrefix(w.ObjectRef.Name, f.name+"-a-") {
			f.t.Errorf("%s was deleted by %s", w.ObjectRef.Name, w.by())
		}
	}
}
