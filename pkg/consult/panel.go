package consult

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/types/known/structpb"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// Host asks one plugin; *pluginhost.Host implements it.
type Host interface {
	Plugins(kind plugin.Kind) []string
	Config(name string) (pluginhost.Config, bool)
	JudgesPending(name string) bool
	// WantsEvents reports whether a classifier wants the last events of Pods.
	WantsEvents(name string) bool
	// FrameworkParameters returns the parameters that Frameworks may set for a plugin; nil for any.
	FrameworkParameters(ctx context.Context, name string) ([]string, error)
	Classify(ctx context.Context, name string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error)
	Decide(ctx context.Context, name string, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, pluginhost.Source, error)
	Hint(ctx context.Context, name string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error)
	MayCreate(ctx context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error)
	// Store returns the keys that the sink holds, also with an error.
	Store(ctx context.Context, name string, records []*pluginpb.Record) (stored map[string]bool, from pluginhost.Source, err error)
	// CollectsLogs reports whether a sink may be asked for logs.
	CollectsLogs(name string) bool
	// CollectLogs returns when the sink has answered; an error says why the logs are not kept.
	CollectLogs(ctx context.Context, name string, q *pluginpb.CollectLogsRequest) error
}

// Panel is the set of all plugins. A nil *Panel has none.
type Panel struct {
	host       Host
	rules      *completion.Rules
	parameters library
	contents   knownContents
}

// New returns a panel of the host's plugins. The rules decide if no classifier has an opinion.
func New(host Host, rules *completion.Rules) *Panel { return &Panel{host: host, rules: rules} }

// Waiting is the error of a question that has to wait for a plugin that currently does not answer.
type Waiting struct {
	Plugin string
	Cause  error
}

func (w *Waiting) Error() string { return fmt.Sprintf("plugin %s: %v", w.Plugin, w.Cause) }

// Unwrap returns why the plugin does not answer.
func (w *Waiting) Unwrap() error { return w.Cause }

// Refusal is the error of a question that a plugin cannot answer, or is not asked, until the Framework is changed.
type Refusal struct {
	Plugin string
	Kind   plugin.Kind
	// Reason is for the Framework's author.
	Reason string
}

func (r *Refusal) Error() string { return fmt.Sprintf("plugin %s: %s", r.Plugin, r.Reason) }

// IsHeldBack reports whether a plugin was not asked because it has given too many faulty answers. It is asked again after a
// while.
func IsHeldBack(err error) bool {
	var fault *pluginhost.Fault
	return errors.As(err, &fault) && fault.Kind == pluginhost.CircuitOpened
}

// Skipped is called for each plugin without which a question was answered, since it currently does not answer, or refuses; why
// is then a *Refusal. It must not be nil.
type Skipped func(plugin string, why error)

// Asking returns the decisions in which the plugins of a Framework take part. The kind of a plugin that is chosen but not configured is
// unknown. It counts as a plugin for hints, so that no Pod is created in a form that its author does not want, and as a completion policy,
// so that no attempt ends that the plugin would continue. It does not count as a classifier: by default, the rules judge without it.
func (p *Panel) Asking(uses []v1.PluginUse) lifecycle.Asking {
	lost := p.lost(uses) != nil
	classifiers := p.members(plugin.KindFailureClassifier, uses)
	return lifecycle.Asking{
		Classification: len(classifiers) > 0 || len(p.InShadow(uses)) > 0,
		Start:          p.judgesStart(classifiers),
		Completion:     len(p.members(plugin.KindCompletionPolicy, uses)) > 0 || lost,
		Hints:          len(p.members(plugin.KindSchedulerHints, uses)) > 0 || lost,
		Archive:        p.Archives(),
		Logs:           p.CollectsLogs(),
	}
}

// lost returns a *Waiting for a plugin that is chosen but not configured, or nil.
func (p *Panel) lost(uses []v1.PluginUse) error {
	for _, u := range uses {
		if !u.Disabled && !p.knows(u.Name) {
			return &Waiting{u.Name, errLost}
		}
	}
	return nil
}

// WithoutLost returns uses without the given plugin if that is not configured: its kind is known to be different, so there is
// no need to wait for it.
func (p *Panel) WithoutLost(uses []v1.PluginUse, plugin string) []v1.PluginUse {
	return slices.DeleteFunc(slices.Clone(uses), func(u v1.PluginUse) bool { return u.Name == plugin && !p.knows(plugin) })
}

var errLost = errors.New("spec.plugins names it, but the controller's configuration has no plugin of that name")

func (p *Panel) knows(plugin string) bool {
	if p == nil {
		return false
	}
	_, known := p.host.Config(plugin)
	return known
}

// member is a plugin to be asked.
type member struct {
	config pluginhost.Config
	chosen bool
	// Index of its use in spec.plugins, if it is chosen.
	number int
	// of the Framework, shared by all questions; nil if it sets none
	parameters *structpb.Struct
	// Why the Framework's parameters cannot be decoded; nil if they can.
	unreadable error
}

// members returns the plugins of a kind that decide about a Framework, in the order of questions (v1.FrameworkSpec).
func (p *Panel) members(kind plugin.Kind, uses []v1.PluginUse) []member {
	if p == nil {
		return nil
	}
	var chosen, all []member
	disabled := map[string]bool{}
	for i, u := range uses {
		c, known := p.host.Config(u.Name)
		switch {
		case u.Disabled:
			disabled[u.Name] = true
		case known && c.Kind == kind && !c.Shadow:
			chosen = append(chosen, p.chosen(c, i, u))
		}
	}
	if len(chosen) > 0 {
		return chosen
	}
	for _, name := range p.host.Plugins(kind) {
		if c, known := p.host.Config(name); known && !disabled[name] && !c.Shadow {
			all = append(all, member{config: c})
		}
	}
	return all
}

// Limits, in bytes, for parts of the reason of a refusal: an error, which may contain all of a long number, a key, and the
// allowed keys.
const (
	maxUnreadable = 200
	maxKey        = 63
	maxKeys       = 300
)

// chosen returns the plugin for the use with this index in spec.plugins.
func (p *Panel) chosen(c pluginhost.Config, number int, u v1.PluginUse) member {
	m := member{config: c, chosen: true, number: number}
	m.parameters, m.unreadable = p.parameters.read(u.Parameters)
	return m
}

// unfit returns a *Refusal if the plugin must not be asked, because the Framework's parameters for it cannot be decoded, or
// must not be set by a Framework. Another error explains why the allowed parameters are not known now.
func (p *Panel) unfit(ctx context.Context, m member) error {
	if m.unreadable != nil {
		return m.unfitBecause(completion.Cut(m.unreadable.Error(), maxUnreadable))
	}
	if len(m.parameters.GetFields()) == 0 {
		return nil
	}
	allowed, err := p.host.FrameworkParameters(ctx, m.config.Name)
	if err != nil || allowed == nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(m.parameters.GetFields())) {
		if !slices.Contains(allowed, key) {
			return m.unfitBecause(forTheOperator(m.config.Name, key, allowed))
		}
	}
	return nil
}

func (m member) unfitBecause(reason string) error {
	return m.refusal(fmt.Sprintf("spec.plugins[%d].parameters: %s", m.number, reason))
}

// forTheOperator returns the refusal of a parameter that a Framework must not set.
func forTheOperator(plugin, key string, allowed []string) string {
	may := "none"
	if len(allowed) > 0 {
		may = strings.Join(allowed, ", ")
	}
	return fmt.Sprintf("Frameworks may not set parameter %q of plugin %s. Remove it, or ask the operator to add it to frameworkParameters. Allowed: %s",
		completion.Cut(key, maxKey), plugin, completion.Cut(may, maxKeys))
}

// waits reports whether a question has to wait if the plugin does not answer.
func (m member) waits() bool { return m.config.Policy(m.chosen) == pluginhost.Wait }

func (m member) waiting(cause error) error { return &Waiting{m.config.Name, cause} }

// firstOpinion asks members in turn, until one has an opinion. The answer is nil if no member has. An error is a *Waiting or a *Refusal.
func firstOpinion[A any](members []member, skipped Skipped, ask func(member) (*A, error)) (*A, error) {
	for _, m := range members {
		answer, err := ask(m)
		switch {
		case err != nil && m.isNeeded(err):
			return nil, m.blocked(err)
		case err != nil:
			skipped(m.config.Name, err)
		case answer != nil:
			return answer, nil
		}
	}
	return nil, nil
}

// isNeeded reports whether a question cannot be answered without the plugin, which has not answered it because of err. Nobody else
// schedules a Framework that its scheduler's plugin refuses.
func (m member) isNeeded(err error) bool {
	return m.waits() || m.config.Kind == plugin.KindSchedulerHints && errors.As(err, new(*Refusal))
}

// blocked is the error of a question that waits for the plugin because of why: a *Refusal unchanged, or else a *Waiting.
func (m member) blocked(why error) error {
	if errors.As(why, new(*Refusal)) {
		return why
	}
	return m.waiting(why)
}

// refusal returns the plugin's refusal; nil if there is no reason.
func (m member) refusal(reason string) error {
	if reason == "" {
		return nil
	}
	return &Refusal{m.config.Name, m.config.Kind, reason}
}

func source(s pluginhost.Source, rule string) v1.CompletionSource {
	return v1.CompletionSource{Plugin: s.Plugin, Version: s.Version, Rule: rule}
}
