package explain

import (
	"fmt"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Avoided nodes are listed with the origin of the wish, as long as it lasts, and not for Pods of other roles.
func TestAvoidedNodes(t *testing.T) {
	now := time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)
	avoided := func(name string, change func(*v1.AvoidedNode)) v1.AvoidedNode {
		n := v1.AvoidedNode{Name: name, Until: metav1.NewTime(now.Add(time.Hour)), Mode: v1.AvoidPrefer, Code: 7, Phrase: "Broken", TaskRoleName: "worker", TaskIndex: 2}
		change(&n)
		return n
	}
	all := []v1.AvoidedNode{
		avoided("preferred", func(*v1.AvoidedNode) {}),
		avoided("required", func(n *v1.AvoidedNode) { n.Role, n.Mode = "worker", v1.AvoidRequire }),
		avoided("relaxed", func(n *v1.AvoidedNode) {
			n.Role, n.Relaxed, n.Source, n.Reason = "ps", true, &v1.CompletionSource{Plugin: "health"}, "bad memory"
		}),
		avoided("over", func(n *v1.AvoidedNode) { n.Until = metav1.NewTime(now) }),
	}
	f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: v1.AttemptRunning, AvoidedNodes: all}}
	f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{{State: v1.AttemptPreparing}}}, {Name: "ps"}}
	facts := Facts{Framework: f, Now: now}
	const until = "until 2026-11-25T13:00:00Z (in 60m) because Task worker-2 failed there with code 7, Broken."
	preferred := "New Pods avoid node preferred " + until + " If there is no other node, it is used anyway. This is set by avoidNodes in retryPolicy of the Framework."
	required := "New Pods of role worker avoid node required " + until + " Pods are never placed there. This is set by avoidNodes in task.retryPolicy of role worker."
	relaxed := "New Pods of role ps avoid node relaxed " + until + ` No other node was found for one of these Pods, so the node is now only avoided where possible. This is set by plugin health, for the reason "bad memory".`
	for _, c := range []struct {
		of          string
		answer      Answer
		told, hides []string
	}{
		{"Framework", Framework(facts), []string{preferred, required, relaxed}, []string{"node over"}},
		{"role", Role(facts, "worker"), []string{preferred, required}, []string{"node over", "node relaxed"}},
		{"Task", Task(facts, "worker", 0), []string{preferred, required}, []string{"node over", "node relaxed"}},
	} {
		text := strings.Join(c.answer.Lines(), "\n")
		for _, want := range c.told {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", c.of, want, text)
			}
		}
		for _, unwanted := range c.hides {
			if strings.Contains(text, unwanted) {
				t.Errorf("%s: %q is in\n%s", c.of, unwanted, text)
			}
		}
	}
	for i := range 5 {
		f.Status.AvoidedNodes = append(f.Status.AvoidedNodes, avoided(fmt.Sprint("more", i), func(*v1.AvoidedNode) {}))
	}
	if text := strings.Join(Framework(facts).Lines(), "\n"); !strings.Contains(text, "5 more nodes are avoided.") || strings.Contains(text, "more0") {
		t.Errorf("of many nodes it is said\n%s", text)
	}
	f.Status.State = v1.Completed
	if text := strings.Join(Framework(facts).Lines(), "\n"); strings.Contains(text, "avoid node") {
		t.Errorf("of one that has completed it is said\n%s", text)
	}
}
