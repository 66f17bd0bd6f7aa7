package objects_test

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// Each amount is the larger one of the template's and the raised one. Everything else stays.
func TestWithMemory(t *testing.T) {
	list := []v1.ContainerMemory{{Container: "c", Limit: "2Gi", Request: "1Gi"}, {Container: "gone", Limit: "9Gi"}}
	for template, want := range map[string]string{
		`{"spec":{"containers":[{"name":"c"}]}}`: `{"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"2Gi"},"requests":{"memory":"1Gi"}}}]}}`,
		`{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":1,"memory":1024},"requests":{"memory":"1536Mi"}}}]}}`: `{"spec":{"containers":[{"name":"c","resources":{"limits":{"cpu":1,"memory":"2Gi"},"requests":{"memory":"1536Mi"}}}]}}`,
		`{"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"4Gi"}}}]}}`:                                       `{"spec":{"containers":[{"name":"c","resources":{"limits":{"memory":"4Gi"},"requests":{"memory":"1Gi"}}}]}}`,
		`{"spec":{"containers":[{"name":"d"}],"initContainers":[{"name":"c"}]}}`:                                               `{"spec":{"containers":[{"name":"d"}],"initContainers":[{"name":"c","resources":{"limits":{"memory":"2Gi"},"requests":{"memory":"1Gi"}}}]}}`,
		`{"spec":{"containers":[null]}}`: `{"spec":{"containers":[null]}}`,
	} {
		got, err := objects.WithMemory("w", v1.PodTemplate(template), list)
		if err != nil || string(got) != want {
			t.Errorf("got %s, %v\nwant %s", got, err, want)
		}
	}
	for template, place := range map[string]string{
		`{"spec":{"containers":"c"}}`:                                       "spec.taskRoles[w].task.pod.spec.containers: must be a list",
		`{"spec":{"containers":["c"]}}`:                                     "spec.taskRoles[w].task.pod.spec.containers: must be an object",
		`{"spec":{"containers":[{"name":"c","resources":{"limits":"x"}}]}}`: "spec.taskRoles[w].task.pod.spec.containers.resources.limits: must be an object",
	} {
		if _, err := objects.WithMemory("w", v1.PodTemplate(template), list); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%s: got %v, want %s", template, err, place)
		}
	}
}
