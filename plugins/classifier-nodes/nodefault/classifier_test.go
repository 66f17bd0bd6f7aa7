package nodefault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// nodes is a Cluster with fixed nodes.
type nodes map[string]*Node

func (n nodes) Node(_ context.Context, name string) (*Node, error) { return n[name], nil }

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func at(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }

func configured(t *testing.T, cluster Cluster, parameters map[string]any) plugin.Plugin {
	t.Helper()
	p := New(func(string) (Cluster, error) { return cluster, nil })
	require.NoError(t, p.Configure("nodes", plugintest.Parameters(t, parameters)))
	return p
}

// failedOn returns a Pod that ran for ten seconds, until `ended` seconds after noon.
func failedOn(node string, ended int) *pluginpb.FailedPod {
	end := &pluginpb.Terminated{ExitCode: 1, StartedAt: timestamppb.New(at(ended - 10)), FinishedAt: timestamppb.New(at(ended))}
	return &pluginpb.FailedPod{
		Uid: "u", Node: node, Framework: &pluginpb.Framework{Namespace: "default", Uid: "f"},
		Containers: []*pluginpb.Container{{Name: "c", Terminated: end}},
	}
}

func condition(kind string, status corev1.ConditionStatus, since int) *Node {
	return &Node{Conditions: []corev1.NodeCondition{
		{Type: "Ready", Status: "True", LastTransitionTime: metav1.NewTime(at(-9999))},
		{Type: corev1.NodeConditionType(kind), Status: status, Reason: "Why", Message: "in words", LastTransitionTime: metav1.NewTime(at(since))},
	}}
}

func taint(key string) *Node {
	return &Node{Taints: []corev1.Taint{{Key: key, Value: "v", Effect: corev1.TaintEffectNoSchedule}}}
}

func device(driver string, since int) *Node {
	return &Node{Devices: []DeviceTaint{{Driver: driver, Device: "gpu-3", Key: "gpu.nvidia.com/xid", Value: "79", Since: at(since)}}}
}

// A fault of a node excuses a Pod that has failed there, if the fault began in time.
func TestFaults(t *testing.T) {
	tests := map[string]struct {
		node       *Node
		parameters map[string]any
		rule       string // empty for no opinion
	}{
		"nothing":                          {node: condition("MemoryPressure", "False", 0)},
		"no such node":                     {},
		"not ready":                        {node: condition("NetworkReady", "False", 0), rule: "condition NetworkReady"},
		"nobody knows":                     {node: condition("CSIReady", "Unknown", 0), rule: "condition CSIReady"},
		"pressure":                         {node: condition("DiskPressure", "True", 0), rule: "condition DiskPressure"},
		"nobody knows of pressure":         {node: condition("DiskPressure", "Unknown", 0)},
		"of node-problem-detector":         {node: condition("KernelDeadlock", "True", -500), rule: "condition KernelDeadlock"},
		"found soon after":                 {node: condition("KernelDeadlock", "True", 220), rule: "condition KernelDeadlock"},
		"too late":                         {node: condition("KernelDeadlock", "True", 221)},
		"too late by the configuration":    {node: condition("KernelDeadlock", "True", 101), parameters: map[string]any{"withinSec": 0}},
		"ignored":                          {node: condition("KernelDeadlock", "True", 0), parameters: map[string]any{"ignoreConditions": []any{"KernelDeadlock"}}},
		"taint of Kubernetes":              {node: taint("node.kubernetes.io/unreachable"), rule: "taint node.kubernetes.io/unreachable"},
		"cordoned":                         {node: taint("node.kubernetes.io/unschedulable")},
		"dedicated":                        {node: taint("nvidia.com/gpu")},
		"taint of the configuration":       {node: taint("example.com/broken"), parameters: map[string]any{"taints": []any{"example.com/broken"}}, rule: "taint example.com/broken"},
		"device":                           {node: device("gpu.nvidia.com", 95), rule: "device taint gpu.nvidia.com/xid"},
		"device, before it was given away": {node: device("gpu.nvidia.com", 89)},
		"device, too late":                 {node: device("gpu.nvidia.com", 221)},
		"device of another driver":         {node: device("gpu.nvidia.com", 95), parameters: map[string]any{"devices": map[string]any{"drivers": []any{"net.example.com"}}}},
		"device of the driver":             {node: device("gpu.nvidia.com", 95), parameters: map[string]any{"devices": map[string]any{"drivers": []any{"gpu.nvidia.com"}}}, rule: "device taint gpu.nvidia.com/xid"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := configured(t, nodes{"n": test.node}, test.parameters)
			v, err := p.FailureClassifier.Classify(t.Context(), failedOn("n", 100))
			require.NoError(t, err)
			switch {
			case test.rule == "" && v != nil:
				t.Errorf("got %v", v)
			case test.rule == "":
			case v.GetRule() != test.rule || v.GetCode() != CodeNodeAtFault || v.GetType().GetAttributes()[0] != "Transient":
				t.Errorf("got %v", v)
			case v.GetAvoidNode().GetSeconds() != 3600 || v.GetAvoidNode().GetMode() != pluginpb.AvoidNode_PREFER || v.GetAvoidNode().GetReason() == "":
				t.Errorf("got %v", v.GetAvoidNode())
			}
		})
	}
}

// A Task whose Pods fail wherever they are is not excused for ever.
func TestTimesPerTask(t *testing.T) {
	p := configured(t, nodes{"n": condition("MemoryPressure", "True", 0)}, map[string]any{"timesPerTask": 2})
	for earlier, excused := range []bool{true, true, false, false} {
		pod := failedOn("n", 100)
		for range earlier {
			pod.Earlier = append(pod.Earlier, &pluginpb.EarlierVerdict{Phrase: PhraseNodeAtFault}, &pluginpb.EarlierVerdict{Phrase: "Other"})
		}
		v, err := p.FailureClassifier.Classify(t.Context(), pod)
		if err != nil || (v != nil) != excused {
			t.Errorf("after %d: %v, %v", earlier, v, err)
		}
	}
}

// A Framework decides about its own Pods, and nothing else.
func TestParametersOfAFramework(t *testing.T) {
	p := configured(t, nodes{"n": condition("MemoryPressure", "True", 0)}, map[string]any{"avoid": map[string]any{"mode": "Require", "seconds": 60}})
	ask := func(own map[string]any) *pluginpb.Verdict {
		pod := failedOn("n", 100)
		pod.Parameters = plugintest.Parameters(t, own)
		v, err := p.FailureClassifier.Classify(t.Context(), pod)
		require.NoError(t, err)
		return v
	}
	if v := ask(map[string]any{"timesPerTask": 1}); v.GetAvoidNode().GetMode() != pluginpb.AvoidNode_REQUIRE || v.GetAvoidNode().GetSeconds() != 60 {
		t.Errorf("got %v", v)
	}
	if v := ask(map[string]any{"avoid": map[string]any{"seconds": 0}}); v == nil || v.GetAvoidNode() != nil {
		t.Errorf("got %v", v)
	}
	for _, own := range []map[string]any{
		{"kubeconfig": "/etc/passwd"}, {"suspicion": map[string]any{}}, {"avoid": map[string]any{"seconds": -1}}, {"taints": []any{"x"}}, {"odd": strings.Repeat("x", 50000)},
	} {
		if v := ask(own); !strings.Contains(v.GetRule(), "the parameters of the Framework were ignored") || v.GetAvoidNode().GetSeconds() != 60 || len(v.GetRule()) > 256 {
			t.Errorf("got %v", v)
		}
	}
}

func TestNotKnownYet(t *testing.T) {
	want := errors.New("nodes are not known yet")
	p := configured(t, failing{want}, nil)
	if _, err := p.FailureClassifier.Classify(t.Context(), failedOn("n", 0)); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
	if v, err := p.FailureClassifier.Classify(t.Context(), failedOn("", 0)); v != nil || err != nil {
		t.Errorf("without a node: %v, %v", v, err)
	}
}

type failing struct{ err error }

func (f failing) Node(context.Context, string) (*Node, error) { return nil, f.err }

// crowd asks about failures, and returns the verdict on the last.
type crowd struct {
	t    *testing.T
	p    plugin.Plugin
	pods int
}

func newCrowd(t *testing.T, suspicion map[string]any) *crowd {
	cluster := nodes{}
	for i := range 300 {
		cluster[fmt.Sprint("n", i)] = &Node{}
	}
	return &crowd{t: t, p: configured(t, cluster, map[string]any{"suspicion": suspicion})}
}

func (c *crowd) fails(namespace, framework, node string, exit int32, ended int) *pluginpb.Verdict {
	c.t.Helper()
	c.pods++
	pod := failedOn(node, ended)
	pod.Uid, pod.Framework = fmt.Sprint("pod-", c.pods), &pluginpb.Framework{Namespace: namespace, Uid: framework}
	pod.Containers[0].Terminated.ExitCode = exit
	v, err := c.p.FailureClassifier.Classify(c.t.Context(), pod)
	require.NoError(c.t, err)
	return v
}

// Several Frameworks of several namespaces have to fail in the same way on a node, at about the same time.
func TestSuspicion(t *testing.T) {
	tests := map[string]struct {
		play func(c *crowd) *pluginpb.Verdict
		want bool
	}{
		"three of two namespaces": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n1", 9, 100)
			return c.fails("a", "3", "n1", 9, 200)
		}, true},
		"of one namespace": {func(c *crowd) *pluginpb.Verdict {
			for i := range 20 {
				c.fails("a", fmt.Sprint(i), "n1", 9, i)
			}
			return c.fails("a", "last", "n1", 9, 30)
		}, false},
		"one Framework again and again": {func(c *crowd) *pluginpb.Verdict {
			c.fails("b", "2", "n1", 9, 0)
			for i := range 20 {
				c.fails("a", "1", "n1", 9, i)
			}
			return c.fails("a", "1", "n1", 9, 30)
		}, false},
		"in different ways": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n1", 10, 0)
			return c.fails("c", "3", "n1", 11, 0)
		}, false},
		"on different nodes": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n2", 9, 0)
			return c.fails("c", "3", "n3", 9, 0)
		}, false},
		"it is over": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n1", 9, 100)
			return c.fails("a", "3", "n1", 9, 601)
		}, false},
		"nearly over": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n1", 9, 100)
			return c.fails("a", "3", "n1", 9, 600)
		}, true},
		"a clock that has jumped": {func(c *crowd) *pluginpb.Verdict {
			c.fails("a", "1", "n1", 9, 0)
			c.fails("b", "2", "n1", 9, 100_000_000)
			return c.fails("a", "3", "n1", 9, 200)
		}, false},
		"on many nodes at once": {func(c *crowd) *pluginpb.Verdict {
			var v *pluginpb.Verdict
			for node := range 4 {
				for i, namespace := range []string{"a", "b", "c"} {
					v = c.fails(namespace, fmt.Sprint(node, i), fmt.Sprint("n", node), 9, 0)
				}
			}
			return v
		}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			v := test.play(newCrowd(t, map[string]any{}))
			if (v != nil) != test.want || test.want && (v.GetCode() != CodeNodeSuspected || v.GetAvoidNode().GetSeconds() != 3600) {
				t.Errorf("got %v", v)
			}
		})
	}
}

// A job that fails on every node says nothing about nodes, even if many namespaces have one like it.
func TestBadJobsPoisonNoNode(t *testing.T) {
	c := newCrowd(t, map[string]any{})
	for round := range 50 {
		for _, job := range []string{"a", "b", "c", "d"} {
			for node := range 10 {
				// Its first failure may be one of several on a node; from the second node on it is known.
				if v := c.fails(job, "of-"+job, fmt.Sprint("n", node), 9, round); v != nil && (round > 0 || node > 0) {
					t.Fatalf("round %d: %v", round, v)
				}
			}
		}
	}
	// An innocent Framework is not taken for one of them, either.
	if v := c.fails("innocent", "one", "n5", 9, 50); v != nil {
		t.Errorf("got %v", v)
	}
}

// A namespace that fails all the time neither displaces the failures of others nor takes more memory.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	c := newCrowd(t, map[string]any{})
	c.fails("a", "1", "n1", 9, 0)
	c.fails("b", "2", "n1", 9, 0)
	for i := range 10 * namespaceMost {
		c.fails("loud", fmt.Sprint(i), fmt.Sprint("n", i%300), int32(i%7+20), 1)
	}
	if v := c.fails("c", "3", "n1", 9, 2); v.GetCode() != CodeNodeSuspected {
		t.Errorf("got %v", v)
	}
	for i := range 3 * maxNamespaces {
		c.fails(fmt.Sprint("namespace-", i), "f", "n2", 9, 10_000+i)
	}
	s := &c.p.FailureClassifier.(*classifier).suspicions
	most := 0
	for _, share := range s.shares {
		most = max(most, len(share.failures))
	}
	if len(s.shares) != maxNamespaces || most > namespaceMost {
		t.Errorf("%d namespaces, at most %d failures", len(s.shares), most)
	}
}

// The same question counts once, as it may be asked again.
func TestAskedAgain(t *testing.T) {
	c := newCrowd(t, map[string]any{"frameworks": 2, "namespaces": 1})
	pod := failedOn("n1", 0)
	for range 5 {
		if v, err := c.p.FailureClassifier.Classify(t.Context(), pod); v != nil || err != nil {
			t.Fatalf("got %v, %v", v, err)
		}
	}
}
