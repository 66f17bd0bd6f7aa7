package lifecycle_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/waiting"
)

func TestCompanions(t *testing.T) {
	service, both := &v1.NetworkSpec{DNS: true}, []string{"f", "f-ssh"}
	kept, gone := lifecycle.CompanionView{Kept: true}, lifecycle.CompanionView{Gone: true}
	tests := map[string]struct {
		edit     func(*lifecycle.Framework)
		network  *v1.NetworkSpec
		ssh      bool
		state    v1.State // AttemptCreationPending if empty
		recorded []string // before
		view     lifecycle.CompanionView
		actions  []string
		want     []string // recorded afterwards; empty names for none
	}{
		"not asked for":                         {want: []string{"", ""}},
		"only told how many there are":          {network: &v1.NetworkSpec{}, want: []string{"", ""}},
		"a Service":                             {network: service, actions: []string{"keep service"}, want: []string{"f", ""}},
		"both":                                  {network: service, ssh: true, actions: []string{"keep service", "keep secret"}, want: both},
		"asked for again while it is not there": {network: service, ssh: true, recorded: both, view: gone, actions: []string{"keep service", "keep secret"}, want: both},
		"they are there":                        {network: service, ssh: true, recorded: both, view: kept, want: both},
		"not asked for any more":                {recorded: both, view: kept, actions: []string{"delete service", "delete secret"}, want: both},
		"one is not asked for any more":         {ssh: true, recorded: both, view: kept, actions: []string{"delete service"}, want: both},
		"nothing is known of them":              {recorded: both, actions: []string{"delete service", "delete secret"}, want: both},
		"they have gone":                        {recorded: both, view: gone, want: []string{"", ""}},
		"being deleted":                         {edit: deleting, network: service, ssh: true, want: []string{"", ""}},
		"being deleted, and not asked for":      {edit: deleting, recorded: both, want: both},
		"held":                                  {edit: execution(v1.ExecutionCreate), network: service, want: []string{"", ""}},
		"stopped":                               {edit: execution(v1.ExecutionStop), network: service, want: []string{"", ""}},
		"suspended":                             {edit: suspended, network: service, want: []string{"", ""}},
		"suspended, and somebody has deleted them": {edit: suspended, network: service, ssh: true, recorded: both, view: gone, want: both},
		"completed":                    {network: service, ssh: true, state: v1.Completed, recorded: both, view: gone, want: both},
		"completed, and not asked for": {state: v1.Completed, recorded: both, actions: []string{"delete service", "delete secret"}, want: both},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := lifecycle.Framework{Name: "f", UID: "u", Spec: &v1.FrameworkSpec{ExecutionType: v1.ExecutionStart, Network: test.network}}
			if test.ssh {
				f.Spec.SSH = &v1.SSHSpec{MountPath: "/ssh"}
			}
			if test.edit != nil {
				test.edit(&f)
			}
			in := lifecycle.Input{Framework: f, Saved: savedWith(t, test.state, test.recorded), Now: noon}
			in.Observed.Companions = map[lifecycle.Companion]lifecycle.CompanionView{lifecycle.NameService: test.view, lifecycle.KeySecret: test.view}
			out := lifecycle.Step(in)
			if got := companionActions(out); !slices.Equal(got, test.actions) {
				t.Errorf("got %q, want %q", got, test.actions)
			}
			status := out.State.Framework()
			if got := []string{status.ServiceName, status.SecretName}; !slices.Equal(got, test.want) {
				t.Errorf("the status names %q, want %q", got, test.want)
			}
			for i, c := range lifecycle.Companions {
				if out.State.Has(c) != (test.want[i] != "") {
					t.Errorf("%s: it has %t", c, out.State.Has(c))
				}
			}
		})
	}
}

// Companions affect nothing else: whatever is known about them, all other decisions are the same.
func TestCompanionsAreBeside(t *testing.T) {
	for seed := range uint64(300) {
		a := newAdversary(randomBytes(seed, 1500))
		var state *lifecycle.State
		for len(a.bytes) > 0 && !t.Failed() {
			in := a.input(state)
			without := lifecycle.Step(in)
			with := in
			spec := *in.Framework.Spec
			spec.Network, spec.SSH = &v1.NetworkSpec{DNS: true}, &v1.SSHSpec{MountPath: "/ssh"}
			with.Framework.Spec = &spec
			with.Observed.Companions = map[lifecycle.Companion]lifecycle.CompanionView{lifecycle.NameService: {Kept: seed%2 == 0}}
			out := lifecycle.Step(with)
			others := slices.DeleteFunc(slices.Clone(out.Actions), isCompanionAction)
			if !reflect.DeepEqual(out.Moves, without.Moves) || !slices.Equal(others, without.Actions) || !out.WakeAt.Equal(without.WakeAt) {
				t.Errorf("seed %d: got %v and %v, want %v and %v", seed, out.Moves, others, without.Moves, without.Actions)
			}
			state = without.State
		}
	}
}

func isCompanionAction(a lifecycle.Action) bool {
	switch a.(type) {
	case lifecycle.KeepCompanion, lifecycle.DeleteCompanion:
		return true
	}
	return false
}

func companionActions(out lifecycle.Output) (texts []string) {
	for _, a := range out.Actions {
		if isCompanionAction(a) {
			texts = append(texts, a.String())
		}
	}
	return texts
}

func deleting(f *lifecycle.Framework)  { f.Deleting = true }
func suspended(f *lifecycle.Framework) { f.Spec.Suspend = new(true) }
func execution(e v1.ExecutionType) func(*lifecycle.Framework) {
	return func(f *lifecycle.Framework) { f.Spec.ExecutionType = e }
}

// savedWith is a stored state that names companions.
func savedWith(t *testing.T, state v1.State, companions []string) *lifecycle.State {
	t.Helper()
	first := lifecycle.Step(lifecycle.Input{
		Framework: lifecycle.Framework{Name: "f", UID: "u", Spec: &v1.FrameworkSpec{ExecutionType: v1.ExecutionCreate}}, Now: noon,
	}).State.Status()
	if state == v1.Completed {
		first.State, first.CompletionTime = state, &first.StartTime
		first.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{}
	}
	if len(companions) > 0 {
		first.ServiceName, first.SecretName = companions[0], companions[1]
	}
	saved, err := lifecycle.Load(first)
	require.NoError(t, err)
	return saved
}

// A minor blocker is reported only if nothing else is in the way, and never for a completed Framework.
func TestMinorBlocker(t *testing.T) {
	minor := waiting.Fact{Reason: "Minor", Told: "names are too long", Minor: true}
	for name, test := range map[string]struct {
		blockers []waiting.Fact
		state    v1.State
		want     string
	}{
		"alone":             {[]waiting.Fact{minor}, "", "Minor"},
		"behind another":    {[]waiting.Fact{{Reason: "Major", Words: "no"}, minor}, "", "Major"},
		"when it has ended": {[]waiting.Fact{minor}, v1.Completed, ""},
	} {
		in := lifecycle.Input{
			Framework: lifecycle.Framework{Name: "f", UID: "u", Spec: &v1.FrameworkSpec{ExecutionType: v1.ExecutionCreate}},
			Saved:     savedWith(t, test.state, nil), Observed: lifecycle.Observed{Blockers: test.blockers}, Now: noon,
		}
		got := ""
		for _, c := range lifecycle.Step(in).State.Framework().Conditions {
			if c.Type == v1.ConditionWaiting && c.Status == "True" {
				got = c.Reason
			}
		}
		if got != test.want {
			t.Errorf("%s: it waits for %q, want %q", name, got, test.want)
		}
	}
}
