package pluginhost

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dieWithUs makes a process end when the thread that started it does, and gives it a group of its own, so that its
// children can be ended with it and a Ctrl-C in the terminal reaches only the controller.
func dieWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// waitForEnd returns when the process has ended, and leaves its id in use.
func waitForEnd(p *os.Process) {
	for {
		if err := unix.Waitid(unix.P_PID, p.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			return
		}
	}
}

func killGroup(p *os.Process) {
	syscall.Kill(-p.Pid, syscall.SIGKILL)
}
