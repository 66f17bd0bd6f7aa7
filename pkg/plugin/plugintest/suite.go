package plugintest

import (
	"context"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
)

// question is one question of a kind, which can be put to any process of the plugin.
type question[A proto.Message] struct {
	name string
	ask  func(context.Context, grpc.ClientConnInterface) (A, error)
	// The same question with fields that a later version of the contract may have.
	askLater func(context.Context, grpc.ClientConnInterface) (A, error)
	check    func(A) error
}

// testQuestions checks questions of every kind: each gets an allowed answer, and the same one when repeated, from a new
// process, concurrently with others, with unknown fields, and after questions that were cancelled.
func testQuestions[A proto.Message](t *testing.T, o Options, start Start, questions []question[A]) {
	conn := o.described(t, start)
	answers := make([]A, len(questions))
	t.Run("answers what is allowed", func(t *testing.T) {
		for i, q := range questions {
			answers[i] = ask(t, o, conn, q, q.ask)
			if err := q.check(answers[i]); err != nil {
				t.Errorf("%s: %v\nanswer: %v", q.name, err, answers[i])
			}
		}
	})
	if t.Failed() {
		return
	}
	same := func(t *testing.T, q question[A], want, got A) {
		t.Helper()
		if !proto.Equal(want, got) {
			t.Errorf("%s: not the same answer\nfirst: %v\nthen:  %v", q.name, want, got)
		}
	}
	t.Run("answers the same again", func(t *testing.T) {
		for i := len(questions) - 1; i >= 0; i-- {
			same(t, questions[i], answers[i], ask(t, o, conn, questions[i], questions[i].ask))
		}
	})
	t.Run("answers the same in a new process", func(t *testing.T) {
		other := o.described(t, start)
		for i, q := range questions {
			same(t, q, answers[i], ask(t, o, other, q, q.ask))
		}
	})
	t.Run("answers the same at the same time", func(t *testing.T) {
		var wait sync.WaitGroup
		for i, q := range questions {
			wait.Go(func() {
				if got, err := q.ask(o.context(t), conn); err != nil {
					t.Errorf("%s: %v", q.name, err)
				} else {
					same(t, q, answers[i], got)
				}
			})
		}
		wait.Wait()
	})
	t.Run("ignores unknown fields", func(t *testing.T) {
		for i, q := range questions {
			same(t, q, answers[i], ask(t, o, conn, q, q.askLater))
		}
	})
	t.Run("survives questions that nobody waits for", func(t *testing.T) {
		for _, q := range questions {
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			_, _ = q.ask(ctx, conn) // too late or not, both are fine
			cancel()
		}
		for i, q := range questions {
			same(t, q, answers[i], ask(t, o, conn, q, q.ask))
		}
	})
}

func ask[A proto.Message](t *testing.T, o Options, conn grpc.ClientConnInterface, q question[A],
	how func(context.Context, grpc.ClientConnInterface) (A, error)) A {
	t.Helper()
	answer, err := how(o.context(t), conn)
	if err != nil {
		t.Fatalf("%s: %v", q.name, err)
	}
	return answer
}

// later returns a copy of a message with a field that this version of the contract does not have.
func later[M proto.Message](message M) M {
	out := proto.Clone(message).(M)
	m := out.ProtoReflect()
	unknown := protowire.AppendTag(m.GetUnknown(), 9999, protowire.BytesType)
	m.SetUnknown(protowire.AppendString(unknown, "from a later version"))
	return out
}
