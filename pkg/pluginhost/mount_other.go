//go:build !linux

package pluginhost

// onReadOnlyMount is not known here.
func onReadOnlyMount(string) bool { return false }
