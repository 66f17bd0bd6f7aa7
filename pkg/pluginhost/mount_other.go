//go:build !linux

package pluginhost

// onReadOnlyMount is not implemented here.
func onReadOnlyMount(string) bool { return false }
