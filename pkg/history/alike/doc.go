// Package alike finds the common part of failed Pods, and of Pods as a whole, so that the history holds it once. It is pure.
//
//	common, own := alike.Split(question)   // equal for Pods that failed alike; and the rest
//	question = alike.Join(common, own)
//	content, err := alike.Pod(pod, false)  // equal for Pods of equal Tasks
package alike
