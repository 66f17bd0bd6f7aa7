// Package explained puts the answer of package explain into the form of the history's API, for the history server and for the page of a
// user, who may read what runs.
//
// It is pure, and adds nothing to the answer.
//
//	e, err := explained.Explanation(explain.Framework(facts), attempt, facts.Now)
package explained
