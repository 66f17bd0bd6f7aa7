package store

import (
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/firstfailure"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// outcomeColumns are the columns of table outcome in a join. They are null for an attempt without an outcome.
const outcomeColumns = "o.code, o.phrase, o.type, o.attributes, o.plugin, o.plugin_version, o.rule"

// outcome is a row of the table outcome. All fields are nil if there is none.
type outcome struct {
	code                                                  *int32
	phrase, kind, attributes, plugin, pluginVersion, rule *string
}

func (o *outcome) columns() []any {
	return []any{&o.code, &o.phrase, &o.kind, &o.attributes, &o.plugin, &o.pluginVersion, &o.rule}
}

// completion returns the outcome with the texts of one attempt.
func (o *outcome) completion(diagnostics, remedy string) historyapi.Completion {
	if o.code == nil {
		return historyapi.Completion{Diagnostics: diagnostics, Words: completion.Words(diagnostics), Remedy: remedy}
	}
	c := historyapi.Completion{Code: *o.code, Phrase: *o.phrase, Type: *o.kind, Diagnostics: diagnostics, Words: completion.Words(diagnostics),
		Remedy: remedy, Plugin: *o.plugin, PluginVersion: *o.pluginVersion, Rule: *o.rule}
	if *o.attributes != "" {
		c.Attributes = strings.Split(*o.attributes, ",")
	}
	return c
}

const succeeded = "Succeeded"

// hasFailed reports whether an attempt of a Task failed. Attempts that others ended do not count: as failures, they would drown the attempt
// that caused them.
func hasFailed(c *historyapi.Completion) bool {
	return c.Type != succeeded && firstfailure.KindOf(c) != firstfailure.EndedByOthers
}

// failedOutcome is the condition that a row of the table outcome has failed, in the sense of hasFailed.
var failedOutcome = func() string {
	var endedByOthers []string
	for _, e := range completion.Table() {
		if e.EndedByOthers {
			endedByOthers = append(endedByOthers, fmt.Sprintf("(%d, '%s')", e.Code, e.Phrase))
		}
	}
	return fmt.Sprintf("(o.type <> '%s' AND (o.code, o.phrase) NOT IN (VALUES %s))", succeeded, strings.Join(endedByOthers, ", "))
}()
