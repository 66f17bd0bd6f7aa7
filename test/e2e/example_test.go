package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const exampleDir = "../../example/framework/"

// example is a file in example/framework, and the life of its Framework, which has the name of the file.
type example struct {
	name string
	// before prepares what the file requires; nil for nothing.
	before func(*story)
	// play acts in the story beside the file, and checks facts that are not in the status; may be nil.
	play func(*story)
	// after checks the state when all objects of the file have been deleted; may be nil.
	after func(*story)
	// want is a regular expression for the description of the Framework at some time; for a Framework that completes, at the end.
	want string
	// pods is the total number of created Pods; 0 if it is unbounded, or if other Pods exist.
	pods int
	// reach lists where addresses lead, see requireReach.
	reach string
	// check looks at the Pods as they were created, by name; nil if want and reach are enough.
	check func(*story, map[string]*corev1.Pod)
}

var examples = slices.Concat(basicExamples, trainingExamples, serviceExamples, batchExamples, gangExamples)

// Everything in example/framework works as described, on simulated nodes at least.
func TestExamples(t *testing.T) {
	t.Parallel()
	untested := exampleFiles(t)
	for _, e := range examples {
		if !untested[e.name+".yaml"] {
			t.Errorf("there is no %s%s.yaml", exampleDir, e.name)
		}
		delete(untested, e.name+".yaml")
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			e.run(newStory(t))
		})
	}
	for name := range untested {
		t.Errorf("%s%s is not tested", exampleDir, name)
	}
}

func exampleFiles(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(exampleDir)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

func (e example) run(s *story) {
	s.t.Helper()
	pods := openAlbum(s)
	file := e.file(s)
	if e.before != nil {
		e.before(s)
	}
	s.kubectl("apply", "-f", file)
	s.provision()
	if e.play != nil {
		e.play(s)
	}
	f := s.awaitExample(e)
	if e.pods > 0 && f.Status.State == v1.Completed {
		s.requirePods(podCount{created: e.pods, gone: e.pods})
	}
	if e.reach != "" || e.check != nil {
		made := pods.of(f)
		s.requireReach(made, e.reach)
		if e.check != nil {
			e.check(s, made)
		}
	}
	s.kubectl("delete", "-f", file, "--cascade=foreground", fmt.Sprintf("--timeout=%s", patience))
	if e.after != nil {
		e.after(s)
	}
}

// awaitExample returns the Framework once it is as it should be.
func (s *story) awaitExample(e example) *v1.Framework {
	s.t.Helper()
	want := regexp.MustCompile("^" + strings.TrimSpace(e.want) + "\n?$")
	f := s.await(e.name, "as it should be:\n"+e.want, func(f *v1.FrameworkStatus) bool {
		return f.State == v1.Completed || want.MatchString(describe(f))
	})
	if got := describe(f.Status); !want.MatchString(got) {
		s.t.Errorf("got:\n%swant:%s", got, e.want)
	}
	return f
}

// file returns the path of the example. If it names the namespace default, that is of a copy that names the story's.
func (e example) file(s *story) string {
	s.t.Helper()
	original := exampleDir + e.name + ".yaml"
	content, err := os.ReadFile(original)
	require.NoError(s.t, err)
	moved := strings.ReplaceAll(string(content), "namespace: default", "namespace: "+s.namespace)
	if moved == string(content) {
		return original
	}
	file := filepath.Join(s.t.TempDir(), e.name+".yaml")
	require.NoError(s.t, os.WriteFile(file, []byte(moved), 0o644))
	return file
}
