package config

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// ownMemory is the memory given to the controller itself: four times the measured use with Frameworks of 10,000 Pods,
// or with 20,000 completed ones that are kept, including garbage between collections.
const ownMemory = 1 << 30

// The memory of the installed container suffices for the controller and for all plugins at their limits: a plugin that exceeds its limit is
// ended before the container is. That holds for the shipped configuration, and for one with all shipped plugins, each with the same limit,
// but only one scheduler plugin: a cluster has one scheduler.
func TestPluginsFitIntoTheContainer(t *testing.T) {
	limit := containerLimit(t)
	c := load(t, defaultExample)
	sum, largest := int64(ownMemory), int64(0)
	for _, p := range c.PluginSpecs {
		most := memoryLimitOf(p)
		sum, largest = sum+most, max(largest, most)
	}
	if sum > limit {
		t.Errorf("the configuration may use %s, and the container %s", Bytes(sum), Bytes(limit))
	}
	shipped, err := os.ReadDir("../../plugins")
	require.NoError(t, err)
	all := int64(ownMemory)
	hints := false
	for _, entry := range shipped {
		ofScheduler := strings.HasPrefix(entry.Name(), "hints-")
		ofHistory := strings.HasPrefix(entry.Name(), "history-")
		if _, err := os.Stat("../../plugins/" + entry.Name() + "/main.go"); err == nil && !(ofScheduler && hints) && !ofHistory {
			all += largest
		}
		hints = hints || ofScheduler
	}
	if all == ownMemory || all > limit {
		t.Errorf("with all plugins it may use %s, and the container %s", Bytes(all), Bytes(limit))
	}
}

func memoryLimitOf(p PluginSpec) int64 {
	if p.MemoryLimit == nil {
		return pluginhost.DefaultMemoryLimit
	}
	return int64(*p.MemoryLimit)
}

func containerLimit(t *testing.T) int64 {
	t.Helper()
	text, err := os.ReadFile("../../deploy/install.yaml")
	require.NoError(t, err)
	for document := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var d appsv1.Deployment
		if bytes.Contains(document, []byte("\nkind: Deployment\n")) {
			require.NoError(t, yaml.UnmarshalStrict(document, &d))
			return d.Spec.Template.Spec.Containers[0].Resources.Limits.Memory().Value()
		}
	}
	t.Fatal("no Deployment is installed")
	return 0
}
