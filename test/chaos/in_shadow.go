package main

import (
	"errors"
	"fmt"
	"strings"
)

// The plugin and the rule in shadow.
const (
	pluginName = "contrary"
	ruleCode   = 882
)

// shadowWords are the words of the plugin (test/contrary) and the rule that no status and no event may have.
var shadowWords = []string{pluginName, "SaidInShadow", "RuledInShadow"}

// pluginInShadow returns an item of the list of plugins. The plugin is asked before all others would be, and often answers too late.
func pluginInShadow(command string) string {
	return fmt.Sprintf("- {name: %s, kind: FailureClassifier, shadow: true, timeout: 1s, command: %s}", pluginName, command)
}

// withRuleInShadow adds a rule before the others: most failures here would be permanent.
func withRuleInShadow(config string) (string, error) {
	const list = "\npodFailureSpec:\n"
	before, after, found := strings.Cut(config, list)
	if !found {
		return "", errors.New("the configuration has no list of rules to add to")
	}
	rule := fmt.Sprintf("- {code: %d, phrase: RuledInShadow, type: {attributes: [Permanent]}, shadow: true, podPatterns: [{containers: [{codeRange: {min: 1, max: 199}}]}]}\n", ruleCode)
	return before + list + rule + after, nil
}
