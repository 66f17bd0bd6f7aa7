package exitcodes

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// FuzzClassify: for any Pod and parameters, the contract allows the verdict, and a second verdict is the same.
func FuzzClassify(f *testing.F) {
	parameters := map[string]any{
		"codes":           map[string]any{"1-300": map[string]any{"phrase": "P"}, "42": map[string]any{"phrase": "Q", "code": 1000}},
		"sameCodeOnNodes": map[string]any{"nodes": 2, "codes": []any{"1-255"}},
		"outOfMemory":     map[string]any{"times": 2},
	}
	r := rand.New(rand.NewPCG(2, 2))
	for range 20 {
		pod := plugintest.RandomPod(r)
		pod.Parameters, _ = structpb.NewStruct(parameters)
		encoded, _ := proto.Marshal(pod)
		f.Add(encoded)
	}
	c := New().FailureClassifier
	f.Fuzz(func(t *testing.T, data []byte) {
		pod := &pluginpb.FailedPod{}
		if proto.Unmarshal(data, pod) != nil {
			return
		}
		v, err := c.Classify(t.Context(), pod)
		require.NoError(t, err)
		answer := &pluginpb.ClassifyResponse{}
		if v != nil {
			told := proto.CloneOf(v)
			told.Uid = pod.GetUid() // as the server does if a classifier leaves it empty
			answer.Verdicts = append(answer.Verdicts, told)
		}
		require.NoError(t, plugintest.CheckVerdicts(&pluginpb.ClassifyRequest{Pods: []*pluginpb.FailedPod{pod}}, answer))
		if again, _ := c.Classify(t.Context(), pod); !proto.Equal(v, again) {
			t.Fatalf("%v, and again %v", v, again)
		}
	})
}
