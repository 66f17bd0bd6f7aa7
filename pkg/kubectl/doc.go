// Package kubectl has the commands of the kubectl plugin `kubectl framework`.
//
// It talks to the cluster and to the terminal; the sentences about a Framework are made in package explain. Each command is
// one file. Shared parts have files of their own: the cluster chosen by kubectl's flags (cluster.go), Frameworks as they are
// stored (stored.go) and as files hold them (saved.go), names of Tasks (target.go), Pods and their containers (pods.go,
// containers.go), earlier attempts (earlier.go), and advice on errors of the API server (mistakes.go). All output goes through
// plain.go. logs_resume.go tracks how far a followed log was printed. simulate takes failures (failures.go), judges them as a
// controller would (judge.go, try_plugin.go) and compares the results with the original ones (replay.go). convert reads the
// documents of files (documents.go).
// try_plugin.go) and a replay compares with what they were (replay.go). What convert reads are the documents of a file (documents.go).
//
//	os.Exit(kubectl.Run(ctx, streams, os.Args[1:]))
//
// Exit codes are those of kubectl: 0, and 1 for an error. In addition, 2 means that a stored status does not decode, 3 that
// rules or a plugin give a failure another type, 4 that a field of a converted object has no equivalent, 124 that wait or
// delete has timed out, and 130 that the user has pressed Ctrl-C.
package kubectl
