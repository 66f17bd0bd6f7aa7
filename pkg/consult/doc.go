// Package consult asks plugins, one after the other, and says what is to be done: the first opinion counts, and without
// any the rule that is built in. It knows which plugins a Framework has chosen and what happens without those that do
// not answer; running them is the business of pluginhost, and deciding what to ask that of lifecycle.
package consult
