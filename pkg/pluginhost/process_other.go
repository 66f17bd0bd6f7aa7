//go:build !linux

package pluginhost

import (
	"os"
	"syscall"
)

// dieWithUs can promise nothing here: a plugin survives a controller that is killed.
func dieWithUs() *syscall.SysProcAttr { return nil }

// waitForEnd leaves it to the caller to wait.
func waitForEnd(*os.Process) {}

// killGroup ends only the process.
func killGroup(p *os.Process) { p.Kill() }

// buryGroup leaves it to the system.
func buryGroup(int) {}
