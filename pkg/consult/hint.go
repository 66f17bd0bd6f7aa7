package consult

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// Hints asks how to present the Pods of an attempt to a scheduler. The question has no parameters. If no plugin has an
// opinion, the answer names no plugin, and has the warnings of all. Stored are the current hints of the attempt; nil if it has
// none. An error is a *Waiting or a *Refusal.
func (p *Panel) Hints(ctx context.Context, uses []v1.PluginUse, scale string, question *pluginpb.HintRequest, stored *v1.SchedulerHints, skipped Skipped) (*v1.SchedulerHints, error) {
	if err := p.lost(uses); err != nil {
		return nil, err
	}
	var warned []string // warnings from plugins without an opinion
	hints, err := firstOpinion(p.members(plugin.KindSchedulerHints, uses), skipped, func(m member) (*v1.SchedulerHints, error) {
		answer, from, err := p.hintBy(ctx, m, question)
		if err != nil {
			return nil, err
		}
		if !answers.HasOpinion(answer) {
			for _, w := range answer.GetWarnings() {
				warned = append(warned, m.config.Name+": "+w)
			}
			return nil, nil
		}
		text, err := canonicalJSON(answer)
		return &v1.SchedulerHints{Plugin: from.Plugin, Version: from.Version, Scale: scale, Answer: text, Superseded: superseded(stored, answer)}, err
	})
	if hints != nil || err != nil {
		return hints, err
	}
	none := NoHints(scale, stored)
	if text, err := canonicalJSON(&pluginpb.HintResponse{Warnings: warned}); err == nil { // a warning prevents nothing
		none.Answer = text
	}
	return none, nil
}

// hintBy asks one plugin. The error of a refusal is a *Refusal.
func (p *Panel) hintBy(ctx context.Context, m member, question *pluginpb.HintRequest) (answer *pluginpb.HintResponse, from pluginhost.Source, err error) {
	if err := p.unfit(ctx, m); err != nil {
		return nil, from, err
	}
	q := proto.CloneOf(question)
	q.Parameters = m.merged()
	if answer, from, err = p.host.Hint(ctx, m.config.Name, q); err != nil {
		return nil, from, err
	}
	return answer, from, m.refusal(answer.GetRefusal())
}

// NoHints returns the hints of an attempt about which no plugin has an opinion.
func NoHints(scale string, stored *v1.SchedulerHints) *v1.SchedulerHints {
	return &v1.SchedulerHints{Scale: scale, Answer: []byte("{}"), Superseded: superseded(stored, nil)}
}

// Admission returns the part of an admitting answer that is stored; nil if nothing is, as for plugins that neither watch nor
// have patches. Its reason is not stored: its wording may change at any time.
func Admission(hints *pluginpb.HintResponse, answer *pluginpb.MayCreateResponse) ([]byte, error) {
	if !hints.GetWatch() && len(answer.GetPatches()) == 0 {
		return nil, nil
	}
	return canonicalJSON(&pluginpb.MayCreateResponse{Yes: true, Patches: answer.GetPatches()})
}

// canonicalJSON has the keys in the order in which the API server returns them. So a stored status can be distinguished from one that
// somebody has edited.
func canonicalJSON(answer proto.Message) ([]byte, error) {
	text, err := protojson.Marshal(answer)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		return nil, err
	}
	return json.Marshal(tree)
}

// Keeping returns the plugins that a Framework uses, with `plugin` as its only plugin for hints: the plugin that gave the
// attempt's hints, since its scheduler knows the attempt even if spec.plugins names another plugin by now. If that plugin has
// been disabled since, is no longer configured, or is empty, Keeping returns uses unchanged.
func (p *Panel) Keeping(uses []v1.PluginUse, plugin string) []v1.PluginUse {
	if _, known := p.hinter(plugin); !known || Disables(uses, plugin) {
		return uses
	}
	var kept []v1.PluginUse
	isNamed := false
	for _, u := range uses {
		if _, hints := p.hinter(u.Name); !hints || u.Name == plugin || u.Disabled {
			kept = append(kept, u)
		}
		isNamed = isNamed || u.Name == plugin
	}
	if !isNamed {
		kept = append(kept, v1.PluginUse{Name: plugin})
	}
	return kept
}

// hinter returns the configuration of a plugin for hints.
func (p *Panel) hinter(name string) (pluginhost.Config, bool) {
	if p == nil {
		return pluginhost.Config{}, false
	}
	c, known := p.host.Config(name)
	return c, known && c.Kind == plugin.KindSchedulerHints
}

// MayCreate asks the plugin of the stored hints whether Pods may be created yet, whatever spec.plugins now names. They may if
// the Framework has since disabled it. The question has no parameters. An error is a *Waiting or a *Refusal. If the attempt
// was admitted, and the Framework's parameters keep the plugin from being asked, it is asked without them: an edit of
// spec.plugins must not keep a scheduler from revoking the admission.
func (p *Panel) MayCreate(ctx context.Context, uses []v1.PluginUse, plugin string, question *pluginpb.MayCreateRequest, skipped Skipped) (*pluginpb.MayCreateResponse, error) {
	yes := &pluginpb.MayCreateResponse{Yes: true}
	if Disables(uses, plugin) {
		return yes, nil
	}
	m, known := p.keeper(uses, plugin)
	if !known {
		return nil, notConfigured(plugin)
	}
	answer, err := firstOpinion([]member{m}, skipped, func(m member) (*pluginpb.MayCreateResponse, error) {
		answer, err := p.mayCreateBy(ctx, m, question)
		return cmp.Or(answer, &pluginpb.MayCreateResponse{}), err
	})
	if answer == nil && err == nil {
		return yes, nil
	}
	return answer, err
}

// mayCreateBy asks one plugin. The error for unfit parameters is a *Refusal.
func (p *Panel) mayCreateBy(ctx context.Context, m member, question *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, error) {
	err := p.unfit(ctx, m)
	if question.GetAdmitted() && errors.As(err, new(*Refusal)) {
		m.parameters, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	question.Parameters = m.merged()
	answer, _, err := p.host.MayCreate(ctx, m.config.Name, question)
	return answer, err
}

// keeper returns the plugin of the hints, with the Framework's current parameters for it.
func (p *Panel) keeper(uses []v1.PluginUse, plugin string) (m member, known bool) {
	c, known := p.hinter(plugin)
	if !known {
		return member{}, false
	}
	i := slices.IndexFunc(uses, func(u v1.PluginUse) bool { return u.Name == plugin })
	if i < 0 {
		return member{config: c}, true
	}
	return p.chosen(c, i, uses[i]), true
}

// Disables reports whether a Framework disables that plugin.
func Disables(uses []v1.PluginUse, plugin string) bool {
	return slices.ContainsFunc(uses, func(u v1.PluginUse) bool { return u.Name == plugin && u.Disabled })
}

func notConfigured(plugin string) error {
	return &Waiting{plugin, errors.New("it has given the attempt's hints, but is no longer configured")}
}
