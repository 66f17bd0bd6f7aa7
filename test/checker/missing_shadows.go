package checker

import (
	"cmp"
	"fmt"
	"slices"
)

// ShadowAccount has the facts that explain why verdicts in shadow are missing in a history.
type ShadowAccount struct {
	// Since is a version after the end of the last controller that ended. A controller takes verdicts that it has not sent with it, so
	// verdicts on earlier attempts may be missing.
	Since uint64
	// Unanswered counts, for each plugin and rule in shadow, the Pods without an answer, as the metrics of the running controllers have it.
	// The keys are "plugin NAME" and "rule CODE".
	Unanswered map[string]int
	// Dropped counts the records that these controllers have dropped.
	Dropped int
}

// ShadowBalance compares the attempts that were judged with the verdicts of one plugin or rule in shadow.
type ShadowBalance struct {
	By string
	// Judged is the number of attempts since the account began, and Missing the number of them on which there is no verdict.
	Judged, Missing int
	// Explained is the number of verdicts that may be missing.
	Explained int
	// Earlier is the number of attempts before, and Lost the number of them without a verdict.
	Earlier, Lost int
}

// Wrong returns the fault; empty if there is none.
func (b ShadowBalance) Wrong() string {
	if b.Missing <= b.Explained {
		return ""
	}
	return fmt.Sprintf("of %d attempts that were judged, %d have no verdict of %s in shadow, and %d are explained", b.Judged, b.Missing, b.By, b.Explained)
}

// MissingShadows returns a balance for each plugin and rule in shadow of the account. The observations must be settled.
func (m Remembered) MissingShadows(h History, a ShadowAccount) (all []ShadowBalance) {
	there := map[string]map[string]bool{}
	for _, v := range m.Shadows {
		by := shadowOf(v)
		if there[by] == nil {
			there[by] = map[string]bool{}
		}
		there[by][attemptOfShadow(v)] = true
	}
	judged := judgedAt(h)
	for by, unanswered := range a.Unanswered {
		b := ShadowBalance{By: by, Explained: unanswered + a.Dropped}
		for key, version := range judged {
			missing := !there[by][key]
			attempts, without := &b.Judged, &b.Missing
			if version <= a.Since {
				attempts, without = &b.Earlier, &b.Lost
			}
			*attempts++
			if missing {
				*without++
			}
		}
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b ShadowBalance) int { return cmp.Compare(a.By, b.By) })
	return all
}

// judgedAt returns the attempts of Tasks that a judgment has ended, and the first version that shows it.
func judgedAt(h History) map[string]uint64 {
	judged := map[string]uint64{}
	for _, s := range inOrder(h.Observations) {
		if s.Framework == nil || s.Framework.Status == nil {
			continue
		}
		for at, t := range newFramework(s.Framework).tasks {
			key := taskKey(string(s.Framework.UID), s.Framework.Status.AttemptStatus.ID, at.role, at.index, t.InstanceUID, t.AttemptStatus.ID)
			if _, known := judged[key]; !known && isJudged(t) {
				judged[key] = s.Version
			}
		}
	}
	return judged
}
