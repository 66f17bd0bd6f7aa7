package plugin

import (
	"context"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// survive turns a panic into an error of the question that caused it. Otherwise one odd question would end the process,
// and with it the other questions being answered.
func survive(ctx context.Context, request any, info *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (answer any, err error) {
	defer func() {
		if r := recover(); r != nil {
			answer, err = nil, panicked(info.FullMethod, r)
		}
	}()
	return handle(ctx, request)
}

// surviveStream is survive for questions with a stream of answers.
func surviveStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handle grpc.StreamHandler) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicked(info.FullMethod, r)
		}
	}()
	return handle(server, stream)
}

func panicked(doing string, reason any) error {
	Logger().Error("panic", "doing", doing, "reason", reason, "stack", string(debug.Stack()))
	return status.Errorf(codes.Internal, "panic while %s: %v", doing, reason)
}
