package checker

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// A verdict that is missing needs an explanation: no answer, a record that was dropped, or a controller that has ended.
func TestMissingShadows(t *testing.T) {
	by := "plugin tomorrow"
	for name, test := range map[string]struct {
		change func(*Remembered, *ShadowAccount)
		want   ShadowBalance
		wrong  string
	}{
		"none is missing": {func(*Remembered, *ShadowAccount) {}, ShadowBalance{By: by, Judged: 1}, ""},
		"it is missing": {func(m *Remembered, _ *ShadowAccount) { m.Shadows = nil }, ShadowBalance{By: by, Judged: 1, Missing: 1},
			"of 1 attempts that were judged, 1 have no verdict of plugin tomorrow in shadow, and 0 are explained"},
		"another has one": {func(m *Remembered, _ *ShadowAccount) { m.Shadows[0].Plugin, m.Shadows[0].Rule = "", 7 }, ShadowBalance{By: by, Judged: 1, Missing: 1},
			"of 1 attempts that were judged, 1 have no verdict of plugin tomorrow in shadow, and 0 are explained"},
		"another attempt has one": {func(m *Remembered, _ *ShadowAccount) { m.Shadows[0].Attempt = 1 }, ShadowBalance{By: by, Judged: 1, Missing: 1},
			"of 1 attempts that were judged, 1 have no verdict of plugin tomorrow in shadow, and 0 are explained"},
		"it did not answer": {func(m *Remembered, a *ShadowAccount) { m.Shadows, a.Unanswered[by] = nil, 1 }, ShadowBalance{By: by, Judged: 1, Missing: 1, Explained: 1}, ""},
		"it was dropped":    {func(m *Remembered, a *ShadowAccount) { m.Shadows, a.Dropped = nil, 1 }, ShadowBalance{By: by, Judged: 1, Missing: 1, Explained: 1}, ""},
		"a controller ended": {func(m *Remembered, a *ShadowAccount) { m.Shadows, a.Since = []historyapi.ShadowVerdict{}, 1 },
			ShadowBalance{By: by, Earlier: 1, Lost: 1}, ""},
		"none was missing before": {func(_ *Remembered, a *ShadowAccount) { a.Since = 2 }, ShadowBalance{By: by, Earlier: 1}, ""},
	} {
		m, a := remembered(), ShadowAccount{Unanswered: map[string]int{by: 0}}
		test.change(&m, &a)
		all := m.MissingShadows(lived(), a)
		require.Equal(t, []ShadowBalance{test.want}, all, name)
		require.Equal(t, test.wrong, all[0].Wrong(), name)
	}
}
