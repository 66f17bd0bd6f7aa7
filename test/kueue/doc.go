// Package kueue tests hints-kueue with Kueue's manager, its webhooks, and its own certificates. All of them run as real programs; Kueue
// assigns quota, and the cluster's scheduler places Pods. The first run builds the manager, which takes some minutes; -short skips all
// tests.
package kueue
