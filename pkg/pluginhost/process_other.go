//go:build !linux

package pluginhost

import (
	"os"
	"syscall"
)

// endWithParent can promise nothing here: a plugin survives a controller that is killed.
func endWithParent() *syscall.SysProcAttr { return nil }

// waitForEnd leaves it to the caller to wait.
func waitForEnd(*os.Process) {}

// killGroup ends only the process.
func killGroup(p *os.Process) { p.Kill() }

// reapGroup leaves it to the system.
func reapGroup(int) {}
