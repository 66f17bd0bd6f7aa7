// Package kueue tests hints-kueue against what it is for: Kueue's manager, with its webhooks, and its own certificates. All
// programs run as what they are; quota is Kueue's, and places are the cluster's scheduler's. The first run builds the manager,
// which takes some minutes; -short skips it all.
package kueue
