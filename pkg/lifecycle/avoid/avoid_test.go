package avoid_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

var now = time.Unix(1700000000, 0).UTC()

func policies(ofFramework, ofRole *v1.AvoidNodesSpec) avoid.Policies {
	return avoid.Policies{OfFramework: ofFramework, OfRole: func(role string) *v1.AvoidNodesSpec {
		if role == "w" {
			return ofRole
		}
		return nil
	}}
}

// show gives entries as "node/role Prefer 1h", with the plugin and whether they are relaxed.
func show(list []v1.AvoidedNode) string {
	var all []string
	for _, n := range list {
		text := fmt.Sprintf("%s/%s %s %s", n.Name, n.Role, n.Mode, n.Until.Sub(now))
		if n.Source != nil {
			text += " by " + n.Source.Plugin
		}
		if n.Relaxed {
			text += " relaxed"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

func TestBlame(t *testing.T) {
	role := &v1.AvoidNodesSpec{Mode: v1.AvoidRequire, ForSec: 60, MaxNodes: 1}
	framework := &v1.AvoidNodesSpec{}
	node := func(name string, until time.Duration) v1.AvoidedNode {
		return v1.AvoidedNode{Name: name, Mode: v1.AvoidRequire, Role: "w", Until: metav1.NewTime(now.Add(until))}
	}
	relaxed := node("n1", 30*time.Second)
	relaxed.Mode, relaxed.Relaxed = v1.AvoidPrefer, true
	for name, c := range map[string]struct {
		list     []v1.AvoidedNode
		failure  avoid.Failure
		policies avoid.Policies
		want     string
	}{
		"no policy":                   {failure: avoid.Failure{Node: "n1", TaskRetried: true}, policies: policies(nil, nil)},
		"not retried":                 {failure: avoid.Failure{Node: "n1"}, policies: policies(framework, role)},
		"not the name of a node":      {failure: avoid.Failure{Node: "N 1", TaskRetried: true}, policies: policies(framework, role)},
		"only the Framework is tried": {failure: avoid.Failure{Node: "n1", FrameworkRetried: true}, policies: policies(framework, role), want: "n1/ Prefer 1h0m0s"},
		"both policies": {failure: avoid.Failure{Node: "n1", TaskRetried: true}, policies: policies(framework, role),
			want: "n1/ Prefer 1h0m0s; n1/w Require 1m0s"},
		"a policy's own bound": {list: []v1.AvoidedNode{node("n0", 30*time.Second)}, failure: avoid.Failure{Node: "n1", TaskRetried: true},
			policies: policies(nil, role), want: "n1/w Require 1m0s"},
		"the same node again, once relaxed": {list: []v1.AvoidedNode{relaxed}, failure: avoid.Failure{Node: "n1", TaskRetried: true},
			policies: policies(nil, role), want: "n1/w Prefer 1m0s relaxed"},
		"expired entries go": {list: []v1.AvoidedNode{node("n0", 0)}, failure: avoid.Failure{Node: "n1", FrameworkRetried: true},
			policies: policies(framework, role), want: "n1/ Prefer 1h0m0s"},
		"advice needs no retry": {failure: avoid.Failure{Node: "n1", Advice: &avoid.Advice{Mode: v1.AvoidRequire, Seconds: 10},
			Source: &v1.CompletionSource{Plugin: "p"}}, policies: policies(nil, nil), want: "n1/ Require 10s by p"},
	} {
		t.Run(name, func(t *testing.T) {
			before := show(c.list)
			c.failure.Role, c.failure.Time = "w", now
			next := avoid.Blame(c.list, c.failure, c.policies)
			if got := show(next); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if show(c.list) != before {
				t.Errorf("the list that was given has become %q", show(c.list))
			}
			if c.want == "" && !avoid.Same(next, c.list) {
				t.Error("nothing to avoid, and another list")
			}
		})
	}
}

func TestUnexpired(t *testing.T) {
	source := &v1.CompletionSource{Plugin: "p"}
	list := []v1.AvoidedNode{
		{Name: "gone", Role: "other", Until: metav1.NewTime(now.Add(time.Hour))},              // role without a policy
		{Name: "late", Until: metav1.NewTime(now.Add(24 * time.Hour))},                        // longer than the policy allows
		{Name: "over", Until: metav1.NewTime(now)},                                            //
		{Name: "told", Until: metav1.NewTime(now.Add(1000 * time.Hour)), Source: source},      // written while the clock was ahead
		{Name: "well", Role: "w", Until: metav1.NewTime(now.Add(time.Second)), Relaxed: true}, //
	}
	got := avoid.Unexpired(list, policies(&v1.AvoidNodesSpec{ForSec: 60}, &v1.AvoidNodesSpec{}), now)
	want := fmt.Sprintf("late/  1m0s; told/  %s by p; well/w  1s relaxed", v1.MaxAdvisedSeconds*time.Second)
	if show(got) != want {
		t.Errorf("got %q, want %q", show(got), want)
	}
}

func TestRelax(t *testing.T) {
	until := metav1.NewTime(now.Add(time.Minute))
	list := []v1.AvoidedNode{
		{Name: "a", Mode: v1.AvoidRequire, Until: until}, {Name: "b", Mode: v1.AvoidRequire, Role: "w", Until: until},
		{Name: "c", Mode: v1.AvoidRequire, Role: "other", Until: until}, {Name: "d", Mode: v1.AvoidPrefer, Until: until},
	}
	next, needed := avoid.Relax(list, "w")
	if got := show(next); got != "a/ Prefer 1m0s relaxed; b/w Prefer 1m0s relaxed; c/other Require 1m0s; d/ Prefer 1m0s" {
		t.Errorf("next is %q", got)
	}
	if got := avoid.Names(needed); got != "a, b" || list[0].Relaxed {
		t.Errorf("needed are %s, and the list that was given is %q", got, show(list))
	}
	if again, needed := avoid.Relax(next, "w"); !avoid.Same(again, next) || needed != nil {
		t.Errorf("again: %q, %v", show(again), needed)
	}
}

func TestDescribe(t *testing.T) {
	var before, after []v1.AvoidedNode
	for i := range 13 {
		after = append(after, v1.AvoidedNode{Name: fmt.Sprintf("n%02d", i), Role: "w", Mode: v1.AvoidRequire, TaskRoleName: "w", TaskIndex: 3,
			Code: 9, Phrase: "Killed", Until: metav1.NewTime(now), Source: &v1.CompletionSource{Plugin: "p"}, Reason: "bad disk"})
	}
	before = slices.Clone(after[:1])
	want := "Pods of role w must avoid node n01 until 2023-11-14T22:13:20Z: Task w-3 has failed there with Killed, code 9, and plugin p wants that: bad disk; " +
		"and so for n02, n03, n04, n05, n06, n07, n08, n09, n10, n11, 1 more"
	if got := avoid.Describe(avoid.Added(before, after)); got != want {
		t.Errorf("got %s", got)
	}
	if got, want := avoid.Facts(after), (reason.Facts{Node: "n00,n01,n02,n03,n04,n05,n06,n07,n08,n09"}); !reflect.DeepEqual(got, want) {
		t.Errorf("many: got %+v", got)
	}
	if got, want := avoid.Facts(before), (reason.Facts{Node: "n00", Role: "w", Tasks: []string{"w-3"}}.Ended(9, "Killed")); !reflect.DeepEqual(got, want) {
		t.Errorf("one: got %+v", got)
	}
}
