package historyapi

import (
	"encoding/json"
	"time"
)

// The outcomes of a comparison of a verdict in shadow with the judgment that counts.
const (
	// ShadowSame: it is the same.
	ShadowSame = "same"
	// ShadowOtherType: it has another type, so that another retry may follow.
	ShadowOtherType = "other_type"
	// ShadowOtherCode: it has the same type, and another code or phrase.
	ShadowOtherCode = "other_code"
	// ShadowOtherAdvice: it differs in nothing but the advice about the retry, the node or the memory.
	ShadowOtherAdvice = "other_advice"
	// ShadowNoOpinion: the plugin has none, or the rule does not match.
	ShadowNoOpinion = "no_opinion"
)

// ShadowVerdict is the answer of a classifier or a rule in shadow about a Pod that failed.
type ShadowVerdict struct {
	// Framework, in lists over several of them.
	Namespace     string `json:"namespace,omitempty"`
	FrameworkName string `json:"framework,omitempty"`
	FrameworkUID  string `json:"frameworkUID,omitempty"`

	FrameworkAttempt int32  `json:"frameworkAttempt"`
	Role             string `json:"role"`
	Index            int32  `json:"index"`
	Attempt          int32  `json:"attempt"`
	TaskUID          string `json:"taskUID"`
	// Time of the answer.
	Time time.Time `json:"time"`
	// Plugin in shadow; empty for a rule.
	Plugin string `json:"plugin,omitempty"`
	// Rule in shadow, by its code; 0 for a plugin.
	Rule int32 `json:"rule,omitempty"`
	// Outcome of the comparison: same, other_type, other_code, other_advice or no_opinion.
	Outcome string `json:"outcome"`
	// Decision that counts, without diagnostics. If something else ended the attempt before the decision was stored, the attempt has another outcome.
	Decision Completion `json:"decision"`
	// Verdict is what the outcome would have been; nil if it is the same, or if there is none.
	Verdict *Completion `json:"verdict,omitempty"`
	// Answer is the message Verdict of the plugin; absent for a rule, and without Verdict.
	Answer json.RawMessage `json:"answer,omitempty"`
}

// ShadowReport compares classifiers and rules in shadow with the judgments that count.
type ShadowReport struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	// Rows begin with what differed most often.
	Rows []ShadowRow `json:"rows"`
}

// ShadowRow is about one classifier or one rule in shadow.
type ShadowRow struct {
	// Plugin in shadow; empty for a rule.
	Plugin string `json:"plugin,omitempty"`
	// Rule in shadow, by its code; 0 for a plugin.
	Rule int32 `json:"rule,omitempty"`
	// Answers about Pods that failed, and the ones among them that would have changed something.
	Answers  int64 `json:"answers"`
	Differed int64 `json:"differed"`
	// Outcomes counts the answers by the outcome of the comparison.
	Outcomes map[string]int64 `json:"outcomes"`
	// Differences are at most 1000 in all rows, the most frequent first.
	Differences []ShadowDifference `json:"differences"`
}

// ShadowDifference is a number of verdicts in shadow that would have changed decisions in the same way.
type ShadowDifference struct {
	Plugin  string `json:"plugin,omitempty"`
	Rule    int32  `json:"rule,omitempty"`
	Outcome string `json:"outcome"`
	// Decision and Verdict have no diagnostics.
	Decision Completion `json:"decision"`
	Verdict  Completion `json:"verdict"`
	Count    int64      `json:"count"`
	// The attempt of a Task with the first of them.
	Namespace        string `json:"namespace,omitempty"`
	FrameworkName    string `json:"framework,omitempty"`
	FrameworkAttempt int32  `json:"frameworkAttempt"`
	Role             string `json:"role"`
	Index            int32  `json:"index"`
	Attempt          int32  `json:"attempt"`
}
