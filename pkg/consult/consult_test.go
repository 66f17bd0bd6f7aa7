package consult_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// opinion is the answer of a plugin of the test: a code or a decision, nothing for "no opinion", or a fault.
type opinion struct {
	config pluginhost.Config
	code   int32
	decide pluginpb.DecideResponse_Decision
	hint   *pluginpb.HintResponse
	refuse string
	broken bool
	judges bool  // it judges Pods that do not get to run
	wait   int32 // wait for such Pods, in seconds

	allowed     []string // parameters that Frameworks may set; nil for any
	undescribed bool     // it has not declared these parameters

	collects bool // logs
}

// host answers with opinions, and records which plugins were asked with which parameters.
type host struct {
	opinions []opinion
	asked    []string
	pods     []*pluginpb.FailedPod // the Pods in the questions
	mu       sync.Mutex            // guards questions about logs
}

func (h *host) Plugins(kind plugin.Kind) []string {
	var names []string
	for _, o := range h.opinions {
		if o.config.Kind == kind {
			names = append(names, o.config.Name)
		}
	}
	return names
}

func (h *host) WantsEvents(string) bool { return false }

func (h *host) JudgesPending(name string) bool {
	o, _ := h.find(name)
	return o.judges
}

func (h *host) CollectsLogs(name string) bool {
	o, _ := h.find(name)
	return o.collects
}

func (h *host) CollectLogs(_ context.Context, name string, _ *pluginpb.CollectLogsRequest) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, name)
	if o, _ := h.find(name); o.broken {
		return errors.New("it is broken")
	}
	return nil
}

func (h *host) FrameworkParameters(_ context.Context, name string) ([]string, error) {
	o, _ := h.find(name)
	if o.undescribed {
		return nil, errors.New("it has not started")
	}
	return o.allowed, nil
}

func (h *host) Config(name string) (pluginhost.Config, bool) {
	o, ok := h.find(name)
	return o.config, ok
}

func (h *host) find(name string) (opinion, bool) {
	i := slices.IndexFunc(h.opinions, func(o opinion) bool { return o.config.Name == name })
	if i < 0 {
		return opinion{}, false
	}
	return h.opinions[i], true
}

func (h *host) ask(name string, parameters fmt.Stringer) (opinion, pluginhost.Source, error) {
	text := ""
	if p, err := json.Marshal(parameters); err == nil && string(p) != "null" {
		text = string(p)
	}
	h.asked = append(h.asked, name+text)
	o, _ := h.find(name)
	if o.broken {
		return o, pluginhost.Source{}, errors.New("it is broken")
	}
	return o, pluginhost.Source{Plugin: name, Version: "1"}, nil
}

func (h *host) Classify(_ context.Context, name string, pods []*pluginpb.FailedPod) (pluginhost.Verdicts, pluginhost.Source, error) {
	h.pods = append(h.pods, pods...)
	o, from, err := h.ask(name, pods[0].GetParameters())
	out := pluginhost.Verdicts{Given: map[string]*pluginpb.Verdict{}, Faults: map[string]*pluginhost.Fault{}}
	for _, pod := range pods {
		switch {
		case err != nil:
			out.Faults[pod.GetUid()] = &pluginhost.Fault{}
		case o.refuse != "":
			out.Given[pod.GetUid()] = &pluginpb.Verdict{Uid: pod.GetUid(), Refusal: o.refuse}
		case pod.GetPending() != nil && o.wait != 0:
			out.Given[pod.GetUid()] = &pluginpb.Verdict{Uid: pod.GetUid(), WaitSeconds: o.wait}
		case o.code != 0:
			out.Given[pod.GetUid()] = &pluginpb.Verdict{Uid: pod.GetUid(), Code: o.code, Phrase: "P", Type: &pluginpb.CompletionType{Name: "Failed"}, Rule: "r"}
		}
	}
	return out, from, err
}

func (h *host) Decide(_ context.Context, name string, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, pluginhost.Source, error) {
	o, from, err := h.ask(name, q.GetParameters())
	return &pluginpb.DecideResponse{Decision: o.decide, Digest: q.GetDigest(), Refusal: o.refuse}, from, err
}

func (h *host) Hint(_ context.Context, name string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, pluginhost.Source, error) {
	o, from, err := h.ask(name, q.GetParameters())
	return o.hint, from, err
}

func (h *host) MayCreate(_ context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, pluginhost.Source, error) {
	_, from, err := h.ask(name, q.GetParameters())
	return &pluginpb.MayCreateResponse{Yes: err == nil}, from, err
}

func (h *host) Store(_ context.Context, name string, records []*pluginpb.Record) (map[string]bool, pluginhost.Source, error) {
	o, from, err := h.ask(name, nil)
	stored := map[string]bool{}
	for _, r := range records {
		stored[r.GetKey()] = err == nil && r.GetKey() != o.refuse
	}
	return stored, from, err
}

// skip notes that a plugin was left out.
func (h *host) skip(name string, why error) {
	h.asked = append(h.asked, "without "+name)
	if refusal := new(consult.Refusal); errors.As(why, &refusal) {
		h.asked = append(h.asked, refusal.Reason)
	}
}

func refusing(o opinion, reason string, policy pluginhost.FailurePolicy) opinion {
	o.config.FailurePolicy, o.refuse = policy, reason
	return o
}

func classifier(name string, code int32) opinion {
	return opinion{config: pluginhost.Config{Name: name, Kind: plugin.KindFailureClassifier}, code: code}
}

func broken(o opinion, policy pluginhost.FailurePolicy) opinion {
	o.broken, o.config.FailurePolicy = true, policy
	return o
}

// failed is a Pod that has failed with exit code 7.
func failed() consult.FailedPod {
	return consult.FailedPod{
		Question: &pluginpb.FailedPod{Uid: "u"},
		Outcome:  completion.Pod{Containers: []completion.Container{{Name: "main", Terminated: true, Code: 7}}},
	}
}

func TestClassify(t *testing.T) {
	no, a, b := classifier("no", 0), classifier("a", 1000), classifier("b", 1001)
	for _, test := range []struct {
		name     string
		opinions []opinion
		uses     []v1.PluginUse
		asked    []string
		want     string
	}{
		{"no plugin", nil, nil, nil, "7 <nil>"},
		{"the first opinion counts", []opinion{no, a, b}, nil, []string{"no", "a"}, "1000 &{a 1 r}"},
		{"no opinion", []opinion{no}, nil, []string{"no"}, "7 <nil>"},
		{"chosen", []opinion{a, b}, []v1.PluginUse{{Name: "b"}}, []string{"b"}, "1001 &{b 1 r}"},
		{"chosen in its own order, with parameters", []opinion{a, no}, []v1.PluginUse{{Name: "no", Parameters: []byte(`{"x":1}`)}, {Name: "a"}},
			[]string{`no{"x":1}`, "a"}, "1000 &{a 1 r}"},
		{"left out", []opinion{a, b}, []v1.PluginUse{{Name: "a", Disabled: true}}, []string{"b"}, "1001 &{b 1 r}"},
		{"another kind is chosen", []opinion{a, policy("p", 0)}, []v1.PluginUse{{Name: "p"}}, []string{"a"}, "1000 &{a 1 r}"},
		{"broken", []opinion{broken(a, ""), b}, nil, []string{"a", "without a", "b"}, "1001 &{b 1 r}"},
		{"broken and waited for", []opinion{broken(a, pluginhost.Wait), b}, nil, []string{"a"}, "waits for a"},
		{"refused", []opinion{refusing(a, "wrong", ""), b}, []v1.PluginUse{{Name: "a"}, {Name: "b"}}, []string{"a", "without a", "wrong", "b"}, "1001 &{b 1 r}"},
		{"refused and waited for", []opinion{refusing(a, "wrong", pluginhost.Wait), b}, nil, []string{"a"}, "plugin a: wrong"},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &host{opinions: test.opinions}
			j := consult.New(h, nil).Classify(t.Context(), test.uses, []consult.FailedPod{failed()}, h.skip)["u"]
			got := fmt.Sprint(j.Status.Code, " ", j.Status.Source)
			if w := new(consult.Waiting); errors.As(j.Err, &w) {
				got = "waits for " + w.Plugin
			} else if r := new(consult.Refusal); errors.As(j.Err, &r) && r.Kind == plugin.KindFailureClassifier {
				got = r.Error()
			}
			if got != test.want || !slices.Equal(h.asked, test.asked) {
				t.Errorf("got %s from %q, want %s from %q", got, h.asked, test.want, test.asked)
			}
		})
	}
}

func policy(name string, d pluginpb.DecideResponse_Decision) opinion {
	return opinion{config: pluginhost.Config{Name: name, Kind: plugin.KindCompletionPolicy}, decide: d}
}

func TestDecide(t *testing.T) {
	abstains, stops := policy("abstains", 0), policy("stops", pluginpb.DecideResponse_SUCCEEDED)
	for _, test := range []struct {
		name     string
		opinions []opinion
		uses     []v1.PluginUse
		want     string
		asked    []string
	}{
		{name: "no plugin", want: "0 by "},
		{"abstains", []opinion{abstains}, nil, "0 by ", nil},
		{"the next one decides", []opinion{abstains, stops}, nil, "2 by stops", nil},
		{"broken: goes on", []opinion{broken(stops, "")}, nil, "0 by ", nil},
		{"broken, but chosen", []opinion{broken(stops, "")}, []v1.PluginUse{{Name: "stops"}}, "waits for stops", nil},
		{"broken, chosen, goes on", []opinion{broken(stops, pluginhost.Fallback)}, []v1.PluginUse{{Name: "stops"}}, "0 by ", nil},
		{"refused: goes on", []opinion{refusing(policy("r", 0), "wrong", ""), stops}, nil, "2 by stops", []string{"r", "without r", "wrong", "stops"}},
		{"refused, but chosen", []opinion{refusing(policy("r", 0), "wrong", ""), stops}, []v1.PluginUse{{Name: "r"}, {Name: "stops"}}, "plugin r: wrong", []string{"r"}},
		{"refused, chosen, goes on", []opinion{refusing(policy("r", 0), "wrong", pluginhost.Fallback), stops}, []v1.PluginUse{{Name: "r"}, {Name: "stops"}},
			"2 by stops", []string{"r", "without r", "wrong", "stops"}},
		{"chosen, but not configured", []opinion{stops}, []v1.PluginUse{{Name: "lost"}}, "waits for lost", []string{}},
		{"one of two is not configured", []opinion{stops}, []v1.PluginUse{{Name: "stops"}, {Name: "lost"}}, "waits for lost", []string{}},
		{"disabled, and not configured", []opinion{stops}, []v1.PluginUse{{Name: "lost", Disabled: true}}, "2 by stops", nil},
		{"another kind is chosen", []opinion{classifier("c", 1), stops}, []v1.PluginUse{{Name: "c"}}, "2 by stops", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := &host{opinions: test.opinions}
			d, err := consult.New(h, nil).Decide(t.Context(), test.uses, &pluginpb.DecideRequest{Digest: "d"}, h.skip)
			var got string
			if w := new(consult.Waiting); errors.As(err, &w) {
				got = "waits for " + w.Plugin
			} else if r := new(consult.Refusal); errors.As(err, &r) && r.Kind == plugin.KindCompletionPolicy {
				got = r.Error()
			} else {
				got = fmt.Sprint(int(d.Kind), " by ", d.Source.Plugin)
				if d.Digest != "d" {
					t.Errorf("the digest is %q", d.Digest)
				}
			}
			if got != test.want || test.asked != nil && !slices.Equal(h.asked, test.asked) {
				t.Errorf("got %s from %q, want %s from %q", got, h.asked, test.want, test.asked)
			}
		})
	}
}

// Without any plugin in the configuration, a chosen one is waited for all the same, unless it is known to be no policy.
func TestDecideWithoutPlugins(t *testing.T) {
	for name, none := range map[string]*consult.Panel{"nil": nil, "empty": consult.New(&host{}, nil)} {
		uses := []v1.PluginUse{{Name: "lost"}}
		_, err := none.Decide(t.Context(), uses, &pluginpb.DecideRequest{}, nil)
		if w := new(consult.Waiting); !errors.As(err, &w) || w.Plugin != "lost" {
			t.Errorf("%s: got %v", name, err)
		}
		d, err := none.Decide(t.Context(), none.WithoutLost(uses, "lost"), &pluginpb.DecideRequest{}, nil)
		if err != nil || d.Kind != lifecycle.DecideBuiltIn {
			t.Errorf("%s: without it got %v, %v", name, d, err)
		}
	}
	if got := consult.New(&host{opinions: []opinion{policy("p", 0)}}, nil).WithoutLost([]v1.PluginUse{{Name: "p"}}, "p"); len(got) != 1 {
		t.Errorf("one that is configured is left out: %v", got)
	}
}

func hinter(name string, hint *pluginpb.HintResponse) opinion {
	return opinion{config: pluginhost.Config{Name: name, Kind: plugin.KindSchedulerHints, Parameters: map[string]any{"a": 1.0, "b": 1.0}}, hint: hint}
}

func TestHints(t *testing.T) {
	patch := &pluginpb.HintResponse{Patches: []*pluginpb.PodPatch{{TaskRole: "w", SchedulerName: "s"}}}
	warns := &pluginpb.HintResponse{Warnings: []string{"not ours"}}
	both := &pluginpb.HintResponse{Patches: patch.Patches, Warnings: warns.Warnings}
	for _, test := range []struct {
		name     string
		opinions []opinion
		uses     []v1.PluginUse
		want     string
	}{
		{"no opinion", []opinion{hinter("no", &pluginpb.HintResponse{})}, nil, "by  for w=1: 0 patches"},
		{"the next one", []opinion{hinter("no", nil), hinter("yes", patch)}, nil, "by yes for w=1: 1 patches"},
		{"warnings alone", []opinion{hinter("a", warns), hinter("b", warns)}, nil, "by  for w=1: 0 patches, [a: not ours b: not ours]"},
		{"warnings, and then an opinion", []opinion{hinter("a", warns), hinter("yes", patch)}, nil, "by yes for w=1: 1 patches"},
		{"an opinion that warns", []opinion{hinter("yes", both)}, nil, "by yes for w=1: 1 patches, [yes: not ours]"},
		{"refused", []opinion{hinter("never", &pluginpb.HintResponse{Refusal: "too large"})}, nil, "plugin never: too large"},
		{"broken is waited for", []opinion{broken(hinter("b", patch), ""), hinter("yes", patch)}, nil, "plugin b: it is broken"},
		{"broken, goes on", []opinion{broken(hinter("b", patch), pluginhost.Fallback), hinter("yes", patch)}, nil, "by yes for w=1: 1 patches"},
		{"missing", nil, []v1.PluginUse{{Name: "lost"}}, "plugin lost: spec.plugins names it, but the controller's configuration has no plugin of that name"},
	} {
		t.Run(test.name, func(t *testing.T) {
			from := &host{opinions: test.opinions}
			h, err := consult.New(from, nil).Hints(t.Context(), test.uses, "w=1", &pluginpb.HintRequest{}, nil, from.skip)
			got := fmt.Sprint(err)
			if err == nil {
				decoded, err := consult.DecodeHints(h)
				got = fmt.Sprintf("by %s for %s: %d patches", h.Plugin, h.Scale, len(decoded.Answer.GetPatches()))
				if len(decoded.Warnings) > 0 {
					got += fmt.Sprint(", ", decoded.Warnings)
				}
				if err != nil {
					t.Error(err)
				}
			}
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A hints plugin gets the configuration's parameters too, overlaid by the Framework's.
func TestHintParameters(t *testing.T) {
	h := &host{opinions: []opinion{hinter("h", nil)}}
	uses := []v1.PluginUse{{Name: "h", Parameters: []byte(`{"b":2,"c":3}`)}}
	if _, err := consult.New(h, nil).Hints(t.Context(), uses, "", &pluginpb.HintRequest{}, nil, h.skip); err != nil {
		t.Fatal(err)
	}
	if want := []string{`h{"a":1,"b":2,"c":3}`}; !slices.Equal(h.asked, want) {
		t.Errorf("asked %q, want %q", h.asked, want)
	}
}

func TestMayCreate(t *testing.T) {
	good := &host{opinions: []opinion{hinter("h", nil)}}
	bad := &host{opinions: []opinion{broken(hinter("h", nil), "")}}
	goesOn := &host{opinions: []opinion{broken(hinter("h", nil), pluginhost.Fallback)}}
	off := []v1.PluginUse{{Name: "h", Disabled: true}}
	renamed := &host{opinions: []opinion{hinter("h", nil), hinter("i", nil)}}
	another := &host{opinions: []opinion{policy("h", 0), hinter("i", nil)}}
	i := []v1.PluginUse{{Name: "i"}}
	for name, test := range map[string]struct {
		panel   *consult.Panel
		uses    []v1.PluginUse
		want    string
		skipped string
	}{
		"yes":                 {consult.New(good, nil), nil, "<nil>", ""},
		"broken":              {consult.New(bad, nil), nil, "plugin h: it is broken", ""},
		"broken, goes on":     {consult.New(goesOn, nil), nil, "<nil>", "h"},
		"disabled since":      {consult.New(bad, nil), off, "<nil>", ""},
		"another is chosen":   {consult.New(renamed, nil), i, "<nil>", ""},
		"not configured now":  {nil, nil, "plugin h: it has given the attempt's hints, but is no longer configured", ""},
		"of another kind now": {consult.New(another, nil), i, "plugin h: it has given the attempt's hints, but is no longer configured", ""},
	} {
		skipped := ""
		answer, err := test.panel.MayCreate(t.Context(), test.uses, "h", &pluginpb.MayCreateRequest{}, func(plugin string, _ error) { skipped = plugin })
		if fmt.Sprint(err) != test.want || skipped != test.skipped || (err == nil) != answer.GetYes() {
			t.Errorf("%s: %v, %v, skipped %q", name, answer, err, skipped)
		}
	}
}

// A rescaled attempt keeps the plugin that gave its hints, whichever spec.plugins names by now.
func TestKeeping(t *testing.T) {
	yes := &pluginpb.HintResponse{Wait: true}
	all := []opinion{hinter("h", yes), hinter("i", yes), classifier("c", 1)}
	for name, test := range map[string]struct {
		uses   []v1.PluginUse
		stored string
		want   string
	}{
		"nothing stored":            {nil, "", "h"},
		"another is chosen":         {[]v1.PluginUse{{Name: "i"}}, "h", "h"},
		"the first is another":      {nil, "i", "i"},
		"chosen, with parameters":   {[]v1.PluginUse{{Name: "i"}, {Name: "h", Parameters: []byte(`{"b":2}`)}}, "h", `h{"a":1,"b":2}`},
		"disabled":                  {[]v1.PluginUse{{Name: "i"}, {Name: "h", Disabled: true}}, "h", "i"},
		"no longer configured":      {[]v1.PluginUse{{Name: "i"}}, "gone", "i"},
		"another kind is unchanged": {[]v1.PluginUse{{Name: "c"}, {Name: "i"}}, "h", "h"},
	} {
		h := &host{opinions: all}
		panel := consult.New(h, nil)
		uses := panel.Keeping(test.uses, test.stored)
		if _, err := panel.Hints(t.Context(), uses, "", &pluginpb.HintRequest{}, nil, h.skip); err != nil {
			t.Fatal(err)
		}
		if len(h.asked) != 1 || !strings.HasPrefix(h.asked[0], test.want) {
			t.Errorf("%s: asked %q, want %q", name, h.asked, test.want)
		}
		h.asked = nil
		panel.Classify(t.Context(), uses, []consult.FailedPod{failed()}, h.skip)
		if !slices.Equal(h.asked, []string{"c"}) {
			t.Errorf("%s: asked %q about a failed Pod", name, h.asked)
		}
	}
}

func TestAsking(t *testing.T) {
	all := consult.New(&host{opinions: []opinion{classifier("c", 1), policy("p", 0)}}, nil)
	for _, test := range []struct {
		panel *consult.Panel
		uses  []v1.PluginUse
		want  lifecycle.Asking
	}{
		{nil, nil, lifecycle.Asking{}},
		{nil, []v1.PluginUse{{Name: "lost"}}, lifecycle.Asking{Completion: true, Hints: true}},
		{nil, []v1.PluginUse{{Name: "lost", Disabled: true}}, lifecycle.Asking{}},
		{consult.New(&host{}, nil), []v1.PluginUse{{Name: "lost"}}, lifecycle.Asking{Completion: true, Hints: true}},
		{all, nil, lifecycle.Asking{Classification: true, Completion: true}},
		{all, []v1.PluginUse{{Name: "p", Disabled: true}}, lifecycle.Asking{Classification: true}},
		{all, []v1.PluginUse{{Name: "lost"}}, lifecycle.Asking{Classification: true, Completion: true, Hints: true}},
	} {
		if got := test.panel.Asking(test.uses); got != test.want {
			t.Errorf("with %v: %+v, want %+v", test.uses, got, test.want)
		}
	}
}

func historySink(name string) opinion {
	return opinion{config: pluginhost.Config{Name: name, Kind: plugin.KindHistorySink}}
}

// Every sink gets the records. A sink that does not store them is waited for or left out, and the Framework cannot choose.
func TestArchive(t *testing.T) {
	a, b := historySink("a"), historySink("b")
	forgets := b
	forgets.refuse = "k" // the host's way to have a record not stored
	for name, test := range map[string]struct {
		opinions []opinion
		asked    []string
		want     string
	}{
		"none":                  {nil, nil, "<nil>"},
		"all":                   {[]opinion{a, b}, []string{"a", "b"}, "<nil>"},
		"broken":                {[]opinion{broken(a, ""), b}, []string{"a", "without a", "b"}, "<nil>"},
		"broken and waited for": {[]opinion{broken(a, pluginhost.Wait), b}, []string{"a"}, "plugin a: it is broken"},
		"not stored":            {[]opinion{forgets, a}, []string{"b", "without b", "a"}, "<nil>"},
	} {
		t.Run(name, func(t *testing.T) {
			h := &host{opinions: test.opinions}
			panel := consult.New(h, nil)
			err := panel.Archive(t.Context(), []*pluginpb.Record{{Key: "k"}}, h.skip)
			if got := fmt.Sprint(err); got != test.want || !slices.Equal(h.asked, test.asked) {
				t.Errorf("got %s from %q", got, h.asked)
			}
			if panel.Archives() != (len(test.opinions) > 0) || panel.Asking(nil).Archive != panel.Archives() {
				t.Error("it does not know whether there are sinks")
			}
		})
	}
	if err := (*consult.Panel)(nil).Archive(t.Context(), nil, nil); err != nil {
		t.Error(err)
	}
}
