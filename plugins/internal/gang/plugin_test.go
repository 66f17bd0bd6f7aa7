package gang

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Errors of Read and Plan are refusals, and a plugin is a Waiter only if it has MayCreate.
func TestPlugin(t *testing.T) {
	s := Scheduler[int]{
		Name: "Any", Version: "1", FrameworkParameters: []string{"size"},
		Read: func(p *structpb.Struct) (int, error) {
			if size := p.GetFields()["size"].GetNumberValue(); size >= 0 {
				return int(size), nil
			}
			return 0, errors.New("size: is too small")
		},
		Plan: func(size int, _ *pluginpb.HintRequest) (*pluginpb.HintResponse, error) {
			switch size {
			case 0:
				return nil, nil
			case 1:
				return &pluginpb.HintResponse{Wait: true}, nil
			}
			return nil, errors.New("it is too large")
		},
	}
	p := s.Plugin()
	if _, waits := p.SchedulerHints.(plugin.Waiter); waits || p.Version != "1" || len(p.FrameworkParameters) != 1 {
		t.Errorf("%+v", p)
	}
	for size, want := range map[float64]*pluginpb.HintResponse{
		-1: {Refusal: "Any: size: is too small"},
		0:  nil,
		1:  {Wait: true},
		2:  {Refusal: "Any: it is too large"},
	} {
		parameters, err := structpb.NewStruct(map[string]any{"size": size})
		require.NoError(t, err)
		if err := p.Configure("", parameters); (err != nil) != (size < 0) {
			t.Errorf("%v: %v", size, err)
		}
		got, err := p.SchedulerHints.Hint(t.Context(), &pluginpb.HintRequest{Parameters: parameters})
		if err != nil || got.String() != want.String() || (got == nil) != (want == nil) {
			t.Errorf("%v: %v, %v; want %v", size, got, err, want)
		}
	}
	s.MayCreate = func(context.Context, *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
		return &pluginpb.MayCreateResponse{Yes: true}, nil
	}
	w, waits := s.Plugin().SchedulerHints.(plugin.Waiter)
	require.True(t, waits)
	answer, err := w.MayCreate(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, answer.Yes)
}
