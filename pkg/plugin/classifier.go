package plugin

import (
	"context"
	"runtime"
	"sync"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// FailureClassifier judges failed Pods: the kind of failure determines whether the Task is retried.
type FailureClassifier interface {
	// Classify judges one Pod that has ended without success. The controller asks once for each, before the Task's
	// completion is stored, and may ask again, also a new process, so the answer must depend only on the Pod. Several
	// Pods are judged at the same time. The context carries the deadline of the whole question, which may be about many
	// Pods; an answer after it is not used.
	//
	// Nil, and a verdict with code 0, mean no opinion: the next plugin is asked, finally the built-in rules. The UID of
	// the verdict need not be set. A verdict with a refusal (RefuseVerdict) is for a Framework whose Pods the plugin
	// cannot judge as it is, for example because its parameters are wrong: the refusal is shown to its author. An error
	// is a fault of the plugin, which costs its opinion on all Pods of the question; the controller asks again, and
	// after repeated faults applies the plugin's failurePolicy.
	Classify(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)
}

// ClassifierFunc adapts a function to a FailureClassifier.
type ClassifierFunc func(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error)

// Classify calls the function.
func (f ClassifierFunc) Classify(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	return f(ctx, pod)
}

// Attributes of a failure, which retry policies use. A failure without any counts, and is retried as the policy says.
const (
	// Retried without being counted.
	Transient = "Transient"
	// Not retried.
	Permanent = "Permanent"
	// Caused by competition for resources: together with Transient, retried after a delay.
	Conflict = "Conflict"
)

// Verdict returns the verdict that a Pod failed with a code, such as 42, a CamelCase phrase for it and attributes. The
// field code of the message documents the codes that are free.
func Verdict(code int32, phrase string, attributes ...string) *pluginpb.Verdict {
	return &pluginpb.Verdict{Code: code, Phrase: phrase, Type: Failed(attributes...)}
}

// AvoidNode returns the part of a verdict that asks for later Pods of the Framework to prefer other nodes for a
// duration: whole seconds, at least one, and at most a week. The reason is for people, and may be empty.
func AvoidNode(d time.Duration, reason string) *pluginpb.AvoidNode {
	return &pluginpb.AvoidNode{Seconds: int32(d / time.Second), Reason: reason}
}

// RefuseVerdict returns the answer that the Pods of a Framework cannot be judged as it is. The reason is for its
// author, and should name the parameter. It returns nil if reason is nil.
func RefuseVerdict(reason error) *pluginpb.Verdict {
	if reason == nil {
		return nil
	}
	return &pluginpb.Verdict{Refusal: reason.Error()}
}

// Failed returns the type of a failure with the given attributes.
func Failed(attributes ...string) *pluginpb.CompletionType {
	return &pluginpb.CompletionType{Name: "Failed", Attributes: attributes}
}

// ExitCode returns the exit code of LastFailed; 0 if no container has failed.
func ExitCode(pod *pluginpb.FailedPod) int32 {
	return LastFailed(pod).GetTerminated().GetExitCode()
}

// LastFailed returns the container that the built-in rules use: the one that failed last; of several at the same time,
// the first in the list. A sidecar is chosen only if no other container failed, as sidecars are stopped once the others
// have ended. It returns nil if none failed.
func LastFailed(pod *pluginpb.FailedPod) *pluginpb.Container {
	var last *pluginpb.Container
	for _, c := range pod.GetContainers() {
		switch {
		case c.GetTerminated().GetExitCode() == 0:
		case last == nil, last.GetSidecar() && !c.GetSidecar():
			last = c
		case c.GetSidecar() == last.GetSidecar() && ended(c).After(ended(last)):
			last = c
		}
	}
	return last
}

// ended treats a container without a time as one that ended before all others, as the built-in rules do.
func ended(c *pluginpb.Container) time.Time {
	if t := c.GetTerminated().GetFinishedAt(); t != nil {
		return t.AsTime()
	}
	return time.Time{}
}

// classifierServer serves a FailureClassifier.
type classifierServer struct {
	pluginpb.UnimplementedFailureClassifierServer
	classifier FailureClassifier // nil has no opinion
	pending    PendingJudge      // the same
}

func (s classifierServer) Classify(ctx context.Context, r *pluginpb.ClassifyRequest) (*pluginpb.ClassifyResponse, error) {
	pods := r.GetPods()
	verdicts, errs := make([]*pluginpb.Verdict, len(pods)), make([]error, len(pods))
	each(len(pods), func(i int) { verdicts[i], errs[i] = s.one(ctx, pods[i]) })
	answer := &pluginpb.ClassifyResponse{}
	for i, v := range verdicts {
		if errs[i] != nil {
			return nil, errs[i]
		}
		if v != nil {
			answer.Verdicts = append(answer.Verdicts, v)
		}
	}
	return answer, nil
}

func (s classifierServer) one(ctx context.Context, pod *pluginpb.FailedPod) (v *pluginpb.Verdict, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, panicked("classifying Pod "+pod.GetName(), r)
		}
	}()
	v, err = s.judge(ctx, pod)
	if err != nil || v.GetCode() == 0 && v.GetRefusal() == "" && v.GetWaitSeconds() == 0 {
		return nil, err
	}
	if v.GetRefusal() != "" {
		return &pluginpb.Verdict{Uid: pod.GetUid(), Refusal: v.Refusal}, nil
	}
	if v.Uid == pod.GetUid() {
		return v, nil
	}
	// A copy, as the classifier may answer several Pods with the same message.
	v = proto.CloneOf(v)
	v.Uid = pod.GetUid()
	return v, nil
}

func (s classifierServer) judge(ctx context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
	switch {
	case pod.GetPending() != nil && s.pending != nil:
		return s.pending.JudgePending(ctx, pod)
	case pod.GetPending() == nil && s.classifier != nil:
		return s.classifier.Classify(ctx, pod)
	}
	return nil, nil
}

// each calls do with every number below n, several at a time: a classifier may wait for another system to answer.
func each(n int, do func(i int)) {
	if n == 1 {
		do(0)
		return
	}
	var wait sync.WaitGroup
	next := make(chan int)
	for range min(n, 4*runtime.GOMAXPROCS(0)) {
		wait.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}
