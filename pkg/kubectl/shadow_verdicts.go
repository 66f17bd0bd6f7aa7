package kubectl

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// inShadow is a plugin of a controller's configuration, or a rule, that is asked and decides nothing. A plugin has no rule, and a rule,
// which is named by its code, no plugin.
type inShadow struct{ plugin, rule string }

// shadowVerdicts are numbers of verdicts by outcome.
type shadowVerdicts map[inShadow]map[string]float64

func shadowVerdictsOf(metrics pluginMetrics) shadowVerdicts {
	all := shadowVerdicts{}
	for _, m := range metrics["shadow_verdicts_total"] {
		labels := labelsOf(m)
		by := inShadow{labels["plugin"], labels["rule"]}
		if all[by] == nil {
			all[by] = map[string]float64{}
		}
		all[by][labels["outcome"]] += sampleOf(m)
	}
	return all
}

// print prints a line for each plugin, and then for each rule.
func (s shadowVerdicts) print(out io.Writer) error {
	all := slices.SortedFunc(maps.Keys(s), func(a, b inShadow) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.plugin, b.plugin))
	})
	for _, by := range all {
		if _, err := fmt.Fprintln(out, by.sentence(s[by])); err != nil {
			return err
		}
	}
	return nil
}

func (by inShadow) sentence(verdicts map[string]float64) string {
	total, parts := 0.0, []string(nil)
	for _, outcome := range shadowWords {
		n := verdicts[outcome.label]
		total += n
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%.0f %s", n, outcome.words))
		}
	}
	who := by.name()
	return fmt.Sprintf("%s in shadow, of %.0f failures: %s.", strings.ToUpper(who[:1])+who[1:], total, strings.Join(parts, ", "))
}

func (by inShadow) name() string {
	if by.rule != "" {
		return "rule " + by.rule
	}
	return "plugin " + by.plugin
}

// shadowWords are the outcomes, in the order in which they are printed.
var shadowWords = []struct{ label, words string }{
	{"same", "the same"},
	{"other_type", "with another type"},
	{"other_code", "with another code"},
	{"other_advice", "with other advice"},
	{"no_opinion", "without an opinion"},
	{"unanswered", "without an answer"},
}
