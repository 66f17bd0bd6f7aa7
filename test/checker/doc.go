// Package checker decides whether what happened in a cluster keeps the guarantees, whatever the workload was and however badly the cluster
// behaved.
//
// It promises to know only what any client can see, every version of Frameworks, ConfigMaps and Pods, and the API server's audit log, and
// to share no code with the controller but the API types. So it cannot share its mistakes. It relies on what the guarantees rely on: nobody
// but the controller deletes Pods by force, and nobody edits statuses or owner references. Whether the outcomes are right is for its caller
// to decide.
//
//	recorder, err := checker.Record(ctx, kube.Config, checker.RecordOptions{}) // once Frameworks are defined, before there is anything to see
//	...
//	history := recorder.History()
//	history.Requests, err = checker.ReadAudit("audit.log") // written under checker.AuditPolicy
//	report := checker.Check(history, checker.Options{Settled: true})
//
// A History is a list of observations, each of them one version of one object. The API server's resourceVersions put them into the order in
// which they were stored. The audit log shows who requested what; a request finds its place in that order by the version in its answer.
// Check replays the history, and shows each change to every rule, together with the world as it was just before. Each rule has a file of
// its own, which names the guarantees that it checks, and counts its checks: a rule without checks has shown nothing.
package checker
