package avoid

import (
	"cmp"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
)

// longestText bounds each text in an entry that others have written. There are up to v1.MaxAvoidedNodes entries.
const longestText = 256

// Defaults of a policy's fields, which an older CRD does not fill in.
const (
	defaultForSec   = 3600
	defaultMaxNodes = 10
)

// Policies are the avoidNodes of the retry policies.
type Policies struct {
	// OfFramework is nil if its retry policy has none.
	OfFramework *v1.AvoidNodesSpec
	// OfRole returns nil if there is no such role, or its retry policy has none.
	OfRole func(role string) *v1.AvoidNodesSpec
}

// of returns the policy that is the source of an entry; nil if there is none.
func (p Policies) of(n v1.AvoidedNode) *v1.AvoidNodesSpec {
	if n.Role == "" {
		return p.OfFramework
	}
	return p.OfRole(n.Role)
}

// Advice is a classifier's request to avoid the node of a failed Pod.
type Advice struct {
	Mode v1.AvoidMode
	// Seconds for which it is avoided, from the failure on, at most v1.MaxAdvisedSeconds; above 0.
	Seconds int32
	// Reason is for people; empty if there is none.
	Reason string
}

// Failure is a failed attempt of a Task.
type Failure struct {
	// Node that its Pod was on.
	Node string
	// Time of the failure, in whole seconds.
	Time time.Time
	// Role and Index name the Task, Code and Phrase are its outcome.
	Role   string
	Index  int32
	Code   completion.Code
	Phrase string
	// TaskRetried: the node may be to blame, and the Task is retried after the failure. FrameworkRetried: the same, and the
	// Framework would be retried. The policy of the role applies if TaskRetried, the policy of the Framework in both cases.
	TaskRetried, FrameworkRetried bool
	// Advice of the plugin Source, which has judged the failure; nil if it gives none, or no plugin has.
	Advice *Advice
	Source *v1.CompletionSource
}

// Blame returns the list after a failure: the node is added for each source that wants it to be avoided, and expired entries
// are dropped. If no source does, list itself is returned.
func Blame(list []v1.AvoidedNode, f Failure, p Policies) []v1.AvoidedNode {
	if !objects.IsNodeName(f.Node) {
		return list
	}
	entry := v1.AvoidedNode{
		Name: f.Node, Mode: v1.AvoidPrefer, Code: f.Code, Phrase: completion.Cut(f.Phrase, longestText),
		TaskRoleName: f.Role, TaskIndex: f.Index,
	}
	if f.Advice != nil {
		list = add(Unexpired(list, p, f.Time), f.advised(entry), v1.MaxAvoidedNodes)
	}
	if p.OfFramework != nil && (f.TaskRetried || f.FrameworkRetried) {
		list = add(Unexpired(list, p, f.Time), f.byPolicy(entry, p.OfFramework), maxNodes(p.OfFramework))
	}
	if policy := p.OfRole(f.Role); policy != nil && f.TaskRetried {
		entry.Role = f.Role
		list = add(Unexpired(list, p, f.Time), f.byPolicy(entry, policy), maxNodes(policy))
	}
	return list
}

func (f Failure) byPolicy(n v1.AvoidedNode, policy *v1.AvoidNodesSpec) v1.AvoidedNode {
	if policy.Mode == v1.AvoidRequire {
		n.Mode = v1.AvoidRequire
	}
	n.Until = metav1.NewTime(f.Time.Add(duration(policy)))
	return n
}

func (f Failure) advised(n v1.AvoidedNode) v1.AvoidedNode {
	if f.Advice.Mode == v1.AvoidRequire {
		n.Mode = v1.AvoidRequire
	}
	n.Until = metav1.NewTime(f.Time.Add(seconds(min(f.Advice.Seconds, v1.MaxAdvisedSeconds))))
	n.Reason = completion.Cut(f.Advice.Reason, longestText)
	n.Source = &v1.CompletionSource{
		Plugin: f.Source.Plugin, Version: completion.Cut(f.Source.Version, longestText), Rule: completion.Cut(f.Source.Rule, longestText),
	}
	return n
}

func duration(policy *v1.AvoidNodesSpec) time.Duration {
	return seconds(cmp.Or(policy.ForSec, defaultForSec))
}

func maxNodes(policy *v1.AvoidNodesSpec) int {
	return int(cmp.Or(policy.MaxNodes, defaultMaxNodes))
}

func seconds(n int32) time.Duration { return time.Duration(n) * time.Second }
