//go:build !linux

package pluginhost

import (
	"os"
	"syscall"
)

// endWithParent does nothing here: a plugin survives a killed controller.
func endWithParent() *syscall.SysProcAttr { return nil }

// waitForEnd leaves the waiting to the caller.
func waitForEnd(*os.Process) {}

// killGroup ends only the process.
func killGroup(p *os.Process) { p.Kill() }

// reapGroup leaves it to the system.
func reapGroup(int) {}
