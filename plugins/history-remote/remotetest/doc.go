// Package remotetest has a server of the history for tests of history-remote, which can be made to misbehave.
package remotetest
