package checker

import (
	"testing"

	"github.com/stretchr/testify/require"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// A word that only shadows use is found wherever a status has it.
func TestInShadow(t *testing.T) {
	for name, said := range map[string]func(*v1.Framework){
		"the outcome of a Task":      decided(0, v1.CompletionStatus{Code: 881, Phrase: "SaidInShadow"}),
		"the outcome of the attempt": attemptDecided(v1.CompletionStatus{Code: 881, Phrase: "SaidInShadow"}, nil),
		"who decided":                decided(0, v1.CompletionStatus{Code: 7, Source: &v1.CompletionSource{Plugin: "contrary"}}),
		"a node to avoid": func(f *v1.Framework) {
			f.Status.AvoidedNodes = []v1.AvoidedNode{{Name: "n", Source: &v1.CompletionSource{Plugin: "contrary"}}}
		},
		"a condition": func(f *v1.Framework) {
			f.Status.Conditions = []metav1.Condition{{Message: "waiting for plugin contrary"}}
		},
	} {
		s := newScene(1)
		s.store(func(f *v1.Framework) {
			f.Status = &v1.FrameworkStatus{State: v1.AttemptCreationPending, AttemptStatus: s.freshAttempt(0, 1)}
		})
		words := Options{ShadowWords: []string{"contrary", "SaidInShadow"}}
		before := Check(s.h, words)
		require.Equal(t, 1, before.Checks[InShadow], name)
		require.False(t, has(before, InShadow), name)
		s.store(said)
		require.True(t, has(Check(s.h, words), InShadow), name)
		require.Zero(t, Check(s.h, Options{}).Checks[InShadow], name)
	}
}

func has(r Report, g Guarantee) bool {
	for _, v := range r.Violations {
		if v.Guarantee == g {
			return true
		}
	}
	return false
}
