// Package kubectl has the commands of the kubectl plugin `kubectl framework`.
//
// It is what talks to the cluster and to the terminal; what is said of a Framework is in package explain. Each command is
// one file, and what several of them need is beside them: the cluster as the flags of kubectl say (cluster.go), Frameworks
// as they are stored (stored.go) and as files hold them (saved.go), how Tasks are named (target.go), Pods and their containers
// (pods.go, containers.go), what is left of attempts that are over (earlier.go), and what errors mean for who has typed the
// command (mistakes.go). All that they print goes through plain.go. How far a log that is followed was printed is in logs_resume.go.
// What simulate tries are failures (failures.go), which a judge judges as a controller would (judge.go,
// try_plugin.go) and a replay compares with what they were (replay.go). What convert reads are the documents of a file (documents.go).
//
//	os.Exit(kubectl.Run(ctx, streams, os.Args[1:]))
//
// Exit codes are those of kubectl: 0, and 1 for an error. Beyond that, 2 says that a stored status does not decode, 3 that
// rules or a plugin give a failure another type, 4 that a field of what was converted has no equivalent, 124 that the time of wait or delete is over, and 130 that the user has broken it off.
package kubectl
