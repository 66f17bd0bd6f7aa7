// Package apitest is a small Kubernetes API server for tests of the controller: in memory, over real HTTP, and
// steerable. It knows the requests that the controller makes, and no others.
//
// It promises to behave like a real one where that matters to the controller: optimistic concurrency, UID preconditions,
// finalizers and grace periods, garbage collection, watches that deliver every change in order, the validation of conditions.
// There is no scheduler and no kubelet: a test controls the Pods.
//
//	s := apitest.Start(t)
//	s.Create(framework)                                          // as a user does
//	s.Inject("create pods", apitest.Always, apitest.LoseAnswer)  // what is to go wrong
//	s.Hold("pods")                                               // its watch and lists stand still from here on
//	s.Requests("update frameworks/status")                       // what was asked so far, in order
//
// Patterns of requests read "verb resource[/subresource] [name]", with * for any verb. All namespaced objects
// live in Namespace.
package apitest
