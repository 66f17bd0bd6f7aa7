// Package kubectl has the commands of the kubectl plugin `kubectl framework`.
//
// It talks to the cluster and to the terminal; the sentences about a Framework are made in package explain. Each command is
// one file. Shared parts have files of their own: the cluster chosen by kubectl's flags (cluster.go), Frameworks as they are
// stored (stored.go) and as files hold them (saved.go), names of Tasks (target.go), Pods and their containers (pods.go,
// containers.go), earlier attempts (earlier.go), and advice on errors of the API server (mistakes.go). All output goes through
// plain.go. logs_resume.go tracks how far a followed log was printed. simulate takes failures (failures.go), judges them as a
// controller would (judge.go, try_plugin.go) and compares the results with the original ones (replay.go). convert reads the
// documents of files (documents.go). create (create.go) turns its flags into a blueprint, which makes the Framework without
// access to a cluster (blueprint.go). It shares ROLE=NUMBER with scale (role_number.go), and --dry-run with all commands that
// change a spec (dry_run.go).
//
//	os.Exit(kubectl.Run(ctx, streams, os.Args[1:]))
//
// exit.go has the table of exit codes. docs/reference/cli.md is made from the commands and from that table, by cli_test.go.
package kubectl
