package leader

import (
	"context"
	"errors"
	"fmt"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/plugins/internal/parameters"
)

// Version is recorded with every decision.
const Version = "1.0.0"

// New returns the plugin. Without its own parameters, it uses the parameters of each Framework.
func New() plugin.Plugin {
	p := &policy{}
	return plugin.Plugin{Version: Version, Configure: p.configure, FrameworkParameters: []string{"leader"}, CompletionPolicy: p}
}

type policy struct {
	parameters *structpb.Struct
}

func (p *policy) configure(_ string, s *structpb.Struct) error {
	p.parameters = s
	_, err := read(s)
	return err
}

// Decide implements plugin.CompletionPolicy. It refuses a Framework whose own parameters are wrong, or name a leader
// that it does not have. If a Framework lacks the configuration's leader, that is no mistake, as that one is for all
// Frameworks.
func (p *policy) Decide(_ context.Context, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, error) {
	leader, err := read(parameters.Overlay(p.parameters, q.GetParameters()))
	if err != nil {
		return refuse(err), nil
	}
	if leader == nil {
		return nil, nil
	}
	if own := q.GetParameters().GetFields()["leader"] != nil; own {
		if err := leader.missing(q.GetRoles()); err != nil {
			return refuse(err), nil
		}
	}
	return leader.decide(q.GetRoles()), nil
}

func refuse(err error) *pluginpb.DecideResponse {
	return plugin.RefuseDecision(fmt.Errorf("the parameters of the Framework are wrong: %w", err))
}

// leader is the deciding role, or a single Task of the role.
type leader struct {
	Role  string `json:"role"`
	Index *int32 `json:"index"`
}

// read returns nil if the parameters name no leader.
func read(s *structpb.Struct) (*leader, error) {
	var p struct {
		Leader *leader `json:"leader"`
	}
	if err := plugin.Decode(s, &p); err != nil {
		return nil, err
	}
	switch l := p.Leader; {
	case l == nil:
		return nil, nil
	case l.Role == "":
		return nil, errors.New("leader.role: is missing")
	case l.Index != nil && *l.Index < 0:
		return nil, fmt.Errorf("leader.index: must be at least 0, but is %d", *l.Index)
	}
	return p.Leader, nil
}

func (l leader) String() string {
	if l.Index == nil {
		return "leader " + l.Role
	}
	return fmt.Sprintf("leader %s[%d]", l.Role, *l.Index)
}
