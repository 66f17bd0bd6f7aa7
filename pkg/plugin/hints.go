package plugin

import (
	"context"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// SchedulerHints determines how a Framework's Pods are presented to a scheduler.
type SchedulerHints interface {
	// Hint is asked once for each attempt, before its first Pod is created, and once more for each rescale of it. The
	// answer is stored and used for all Pods of the attempt. Until it is stored, the same question may be asked again,
	// also of a new process. The context carries the deadline; an answer after it is not used.
	//
	// With follow_tasks in the answer it is also asked when Tasks have completed, and with follow_start when all run.
	//
	// Nil, and an answer without any field set, mean no opinion: Pods are created from their templates unchanged,
	// unless another plugin has hints. An answer with a refusal is for a Framework that cannot be scheduled as it is;
	// no Pod is created until its author changes it. An error is a fault of the plugin: the controller asks again, and
	// after repeated faults applies the plugin's failurePolicy.
	Hint(ctx context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error)
}

// Waiter is implemented by SchedulerHints whose answers have wait set.
type Waiter interface {
	// MayCreate reports whether Pods may be created yet. It is asked once the objects of the answer exist, and again
	// after a while until the answer is yes. With watch in the hints, it is also asked whenever one of the objects has
	// changed, until the attempt ends. Nil means not yet. An error is a fault of the plugin, as with Hint.
	MayCreate(ctx context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error)
}

// Watcher is implemented by SchedulerHints that learn about admission from a source other than the objects of their
// answers.
type Watcher interface {
	// Watch calls changed for each Framework for which MayCreate may have a new answer, until ctx ends. It is called
	// once for each controller that the plugin serves, and again after it has returned. An error is reported in the
	// controller's log.
	Watch(ctx context.Context, changed func(namespace, name string)) error
}

// HintsFunc adapts a function to SchedulerHints that never wait.
type HintsFunc func(ctx context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error)

// Hint calls the function.
func (f HintsFunc) Hint(ctx context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	return f(ctx, q)
}

// hintsServer serves SchedulerHints.
type hintsServer struct {
	pluginpb.UnimplementedSchedulerHintsServer
	hints SchedulerHints
}

func (s hintsServer) Hint(ctx context.Context, q *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
	a, err := s.hints.Hint(ctx, q)
	if err != nil || a == nil {
		return &pluginpb.HintResponse{}, err
	}
	if _, ok := s.hints.(Waiter); a.Wait && !ok {
		return nil, status.Error(codes.Internal, "the answer has wait set, but the plugin has no MayCreate")
	}
	return a, nil
}

func (s hintsServer) MayCreate(ctx context.Context, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	w, ok := s.hints.(Waiter)
	if !ok {
		return nil, status.Error(codes.Unimplemented, "the plugin has no MayCreate")
	}
	a, err := w.MayCreate(ctx, q)
	if err != nil || a == nil {
		return &pluginpb.MayCreateResponse{}, err
	}
	return a, nil
}

func (s hintsServer) Watch(_ *pluginpb.WatchRequest, stream pluginpb.SchedulerHints_WatchServer) error {
	w, ok := s.hints.(Watcher)
	if !ok {
		return status.Error(codes.Unimplemented, "the plugin has no Watch")
	}
	ctx, stop := context.WithCancelCause(stream.Context())
	defer stop(nil)
	var mu sync.Mutex // a stream takes one message at a time
	err := w.Watch(ctx, func(namespace, name string) {
		mu.Lock()
		defer mu.Unlock()
		if err := stream.Send(&pluginpb.WatchResponse{Namespace: namespace, Name: name}); err != nil {
			stop(err)
		}
	})
	if err == nil || ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
