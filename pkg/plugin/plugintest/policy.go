package plugintest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Policy is the suite for a CompletionPolicy.
func Policy(t *testing.T, start Start, o Options) {
	o.testDescribe(t, start)
	known := slices.Clone(o.Attempts)
	for _, r := range o.RefusedAttempts {
		known = append(known, r.Question)
	}
	testQuestions(t, o, start, policyQuestions(known))
	t.Run("refuses what it should", func(t *testing.T) {
		conn := o.described(t, start)
		for i, r := range o.RefusedAttempts {
			if a := decide(t, o, conn, r.Question); a.GetRefusal() == "" || !strings.Contains(a.GetRefusal(), r.Mention) {
				t.Errorf("RefusedAttempts[%d]: the answer is %v, want a refusal that mentions %q", i, a, r.Mention)
			}
		}
	})
	t.Run("has the opinions it should", func(t *testing.T) {
		conn := o.described(t, start)
		for i, q := range o.Attempts {
			if a := decide(t, o, conn, q); a.GetDecision() == pluginpb.DecideResponse_ABSTAIN {
				t.Errorf("none on Attempts[%d]", i)
			}
		}
	})
	t.Run("echoes digest and attempt", func(t *testing.T) { testEcho(t, o, o.described(t, start)) })
}

func policyQuestions(known []*pluginpb.DecideRequest) []question[*pluginpb.DecideResponse] {
	var questions []question[*pluginpb.DecideResponse]
	for i, q := range known {
		questions = append(questions, policyQuestion(fmt.Sprintf("Attempts[%d]", i), q))
	}
	for i, q := range oddAttempts() {
		questions = append(questions, policyQuestion(fmt.Sprintf("odd attempt %d, %s", i, q.GetDigest()), q))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		questions = append(questions, policyQuestion(fmt.Sprintf("random attempt %d", i), RandomAttempt(r)))
	}
	return questions
}

func policyQuestion(name string, q *pluginpb.DecideRequest) question[*pluginpb.DecideResponse] {
	with := func(q *pluginpb.DecideRequest) func(context.Context, grpc.ClientConnInterface) (*pluginpb.DecideResponse, error) {
		return func(ctx context.Context, conn grpc.ClientConnInterface) (*pluginpb.DecideResponse, error) {
			return pluginpb.NewCompletionPolicyClient(conn).Decide(ctx, q)
		}
	}
	return question[*pluginpb.DecideResponse]{name, with(q), with(laterAttempt(q)),
		func(a *pluginpb.DecideResponse) error { return CheckDecision(q, a) }}
}

func laterAttempt(q *pluginpb.DecideRequest) *pluginpb.DecideRequest {
	out := later(q)
	for i, role := range out.Roles {
		out.Roles[i] = later(role)
	}
	return out
}

func decide(t *testing.T, o Options, conn grpc.ClientConnInterface, q *pluginpb.DecideRequest) *pluginpb.DecideResponse {
	t.Helper()
	a, err := pluginpb.NewCompletionPolicyClient(conn).Decide(o.context(t), q)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckDecision(q, a); err != nil {
		t.Fatal(err)
	}
	return a
}

// testEcho asks the same question under other digests and attempt ids, which detects a cached answer.
func testEcho(t *testing.T, o Options, conn grpc.ClientConnInterface) {
	r := rand.New(rand.NewPCG(7, 8))
	questions := append([]*pluginpb.DecideRequest{RandomAttempt(r), RandomAttempt(r)}, o.Attempts...)
	for _, q := range questions {
		for i := range int32(3) {
			q := proto.Clone(q).(*pluginpb.DecideRequest)
			q.Digest = fmt.Sprintf("digest-%d", i)
			if q.Framework == nil {
				q.Framework = &pluginpb.Framework{}
			}
			q.Framework.AttemptId = i
			decide(t, o, conn, q)
		}
	}
}
