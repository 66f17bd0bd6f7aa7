// Package coscheduling tests hints-coscheduling with its scheduler: kube-scheduler with the coscheduling plugin of
// kubernetes-sigs/scheduler-plugins, beside the cluster's own. All of them run as real programs. The first run builds that scheduler, which
// takes some minutes; -short skips all tests.
package coscheduling
