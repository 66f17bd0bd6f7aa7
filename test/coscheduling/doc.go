// Package coscheduling tests hints-coscheduling against what it is for: kube-scheduler with the coscheduling plugin of
// kubernetes-sigs/scheduler-plugins, beside that of the cluster. All of them run as the programs that they are. The first run
// builds that scheduler, which takes some minutes; -short skips it all.
package coscheduling
