package plugintest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Hints is the suite for SchedulerHints.
func Hints(t *testing.T, start Start, o Options) {
	o.testDescribe(t, start)
	testQuestions(t, o, start, hintQuestions(o.Shapes))
	t.Run("has the opinions it should", func(t *testing.T) {
		conn := o.described(t, start)
		for i, q := range o.Shapes {
			if a := hint(t, o, conn, q); proto.Equal(a, &pluginpb.HintResponse{}) {
				t.Errorf("none on Shapes[%d]", i)
			}
		}
	})
	t.Run("bears a rescale", func(t *testing.T) { testRescale(t, o, o.described(t, start)) })
	t.Run("names objects after the attempt", func(t *testing.T) { testObjectNames(t, o, o.described(t, start)) })
	t.Run("says whether Pods may be created", func(t *testing.T) { testMayCreate(t, o, o.described(t, start)) })
}

func hintQuestions(known []*pluginpb.HintRequest) []question[*pluginpb.HintResponse] {
	var questions []question[*pluginpb.HintResponse]
	for i, q := range known {
		questions = append(questions, hintQuestion(fmt.Sprintf("Shapes[%d]", i), q))
	}
	for i, q := range oddShapes() {
		questions = append(questions, hintQuestion(fmt.Sprintf("odd shape %d, %s", i, q.GetFramework().GetName()), q))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		questions = append(questions, hintQuestion(fmt.Sprintf("random shape %d", i), RandomShape(r)))
	}
	return questions
}

func hintQuestion(name string, q *pluginpb.HintRequest) question[*pluginpb.HintResponse] {
	with := func(q *pluginpb.HintRequest) func(context.Context, grpc.ClientConnInterface) (*pluginpb.HintResponse, error) {
		return func(ctx context.Context, conn grpc.ClientConnInterface) (*pluginpb.HintResponse, error) {
			return pluginpb.NewSchedulerHintsClient(conn).Hint(ctx, q)
		}
	}
	return question[*pluginpb.HintResponse]{name, with(q), with(laterShape(q)),
		func(a *pluginpb.HintResponse) error { return CheckHints(q, a) }}
}

func laterShape(q *pluginpb.HintRequest) *pluginpb.HintRequest {
	out := later(q)
	for i, role := range out.Roles {
		out.Roles[i] = later(role)
	}
	return out
}

func hint(t *testing.T, o Options, conn grpc.ClientConnInterface, q *pluginpb.HintRequest) *pluginpb.HintResponse {
	t.Helper()
	a, err := pluginpb.NewSchedulerHintsClient(conn).Hint(o.context(t), q)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckHints(q, a); err != nil {
		t.Fatalf("%v\nanswer: %v", err, a)
	}
	return a
}

// testRescale asks again with the first answer, before and after the number of Tasks has changed.
func testRescale(t *testing.T, o Options, conn grpc.ClientConnInterface) {
	r := rand.New(rand.NewPCG(3, 4))
	shapes := append([]*pluginpb.HintRequest{RandomShape(r), RandomShape(r)}, o.Shapes...)
	for _, q := range shapes {
		first := hint(t, o, conn, q)
		for _, delta := range []int32{0, 1, -1, 100, -100} {
			q := proto.Clone(q).(*pluginpb.HintRequest)
			q.Previous = first
			for _, role := range q.Roles {
				role.TaskNumber = max(0, role.TaskNumber+delta)
			}
			hint(t, o, conn, q)
		}
	}
}

// testObjectNames checks that objects of different attempts have different names.
func testObjectNames(t *testing.T, o Options, conn grpc.ClientConnInterface) {
	for i, q := range o.Shapes {
		seen := map[string]int32{}
		for attempt := range int32(3) {
			q := proto.Clone(q).(*pluginpb.HintRequest)
			if q.Framework == nil {
				q.Framework = &pluginpb.Framework{}
			}
			q.Framework.AttemptId = attempt
			for _, name := range objectNames(hint(t, o, conn, q)) {
				if other, used := seen[name]; used && other != attempt {
					t.Errorf("Shapes[%d]: attempts %d and %d both have an object %s", i, other, attempt, name)
				}
				seen[name] = attempt
			}
		}
	}
}

// testMayCreate checks that a plugin whose hints have wait set answers MayCreate, in whatever state its objects are.
func testMayCreate(t *testing.T, o Options, conn grpc.ClientConnInterface) {
	for i, q := range o.Shapes {
		a := hint(t, o, conn, q)
		if !a.GetWait() {
			continue
		}
		for _, objects := range [][][]byte{make([][]byte, len(a.GetObjects())), objectTexts(a)} {
			_, err := pluginpb.NewSchedulerHintsClient(conn).MayCreate(o.context(t),
				&pluginpb.MayCreateRequest{Framework: q.GetFramework(), Objects: objects, Parameters: q.GetParameters()})
			if err != nil {
				t.Errorf("Shapes[%d]: %v", i, err)
			}
		}
	}
	// A plugin that never waits is never asked, so it need not have an answer.
	_, err := pluginpb.NewSchedulerHintsClient(conn).MayCreate(o.context(t), &pluginpb.MayCreateRequest{})
	if err != nil && status.Code(err) != codes.Unimplemented {
		t.Errorf("about nothing: %v", err)
	}
}

func objectTexts(a *pluginpb.HintResponse) [][]byte {
	var out [][]byte
	for _, object := range a.GetObjects() {
		out = append(out, object.GetJson())
	}
	return out
}

// objectNames returns kind and name of the objects in a valid answer.
func objectNames(a *pluginpb.HintResponse) []string {
	var out []string
	for _, text := range objectTexts(a) {
		var o struct {
			Kind     string
			Metadata struct{ Name string }
		}
		_ = json.Unmarshal(text, &o) // it was checked
		out = append(out, o.Kind+"/"+o.Metadata.Name)
	}
	return out
}
