package pluginhost

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endWithParent makes a process end with the thread that started it. It also puts the process into its own group, so
// that its children can be ended with it, and a Ctrl-C in the terminal reaches only the controller.
func endWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// waitForEnd returns when the process has ended, without freeing its id.
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

// reapTime is the time to wait for the ends of killed processes.
const reapTime = 200 * time.Millisecond

// reapGroup waits for the remaining processes of a group whose first process has been waited for. If the controller is the first process of
// its container, the children of its plugins become its own, and would stay zombies. Otherwise it has no such children.
func reapGroup(id int) {
	for end := time.Now().Add(reapTime); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		for {
			pid, err := unix.Wait4(-id, nil, unix.WNOHANG, nil)
			if err == unix.ECHILD {
				return
			}
			if pid <= 0 && err != unix.EINTR {
				break // they have not ended yet
			}
		}
	}
}
