package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// stageName is the environment variable with a process's role. cgroupName has the name under which cgroups were created for it.
const (
	stageName  = "FRAMEWORKCONTROLLER_TEST_NODE_STAGE"
	cgroupName = "FRAMEWORKCONTROLLER_TEST_NODE_CGROUP"

	stageFirst  = "first"
	stageInside = "inside"
)

// Isolation configures how Isolate runs this program.
type Isolation struct {
	// Tools is the folder for programs that are built once, such as bin/tools of this checkout.
	Tools string

	// Required makes it an error if the machine cannot run a node. Otherwise the reason is printed, and the code is 0.
	Required bool

	// Prepare is called once, first. It is for work that needs the network of the machine, such as building.
	Prepare func(context.Context) error
}

// Isolate runs this program once more, with the same arguments, in namespaces of its own, where it calls inside instead. It returns the
// result of inside, for os.Exit.
func Isolate(i Isolation, inside func() int) (code int) {
	switch os.Getenv(stageName) {
	case stageFirst:
		return report(first())
	case stageInside:
		return inside()
	}
	if err := unmet(programsIn(i.Tools).unpacked() && busyboxIn(i.Tools).unpacked()); err != nil {
		fmt.Println("skipping, since this machine cannot run a node:", err)
		if i.Required {
			return 1
		}
		return 0
	}
	if err := i.prepare(); err != nil {
		return report(0, err)
	}
	return report(outside())
}

func (i Isolation) prepare() error {
	ctx := context.Background()
	if err := cluster.ProvideTools(ctx, os.Stderr, cluster.Newest); err != nil {
		return err
	}
	for _, name := range []string{cluster.Kubelet, cluster.CoreDNS} {
		if _, err := cluster.Tool(ctx, os.Stderr, name); err != nil {
			return err
		}
	}
	if err := programsIn(i.Tools).unpack(); err != nil {
		return err
	}
	if err := busyboxIn(i.Tools).unpack(); err != nil {
		return err
	}
	return i.Prepare(ctx)
}

func report(code int, err error) int {
	if err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		return 1
	}
	return code
}

// outside starts first, and waits for it. The kernel kills first, and with it all others in its namespace, when this
// thread ends.
func outside() (code int, err error) {
	groups, err := makeCgroups()
	if err != nil {
		return 0, err
	}
	reaped, err := groups.reapWithMe()
	if err != nil {
		return 0, errors.Join(err, groups.remove())
	}
	runtime.LockOSThread()
	cmd := again(stageFirst, cgroupName+"="+groups.name)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET | syscall.CLONE_NEWIPC,
		Pdeathsig:  syscall.SIGKILL,
	}
	code, err = exitCode(cmd.Run())
	return code, errors.Join(err, reaped())
}

// again returns this program with these arguments, in another part.
func again(stage string, environment ...string) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe", os.Args[1:]...)
	cmd.Env = append(append(os.Environ(), stageName+"="+stage), environment...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd
}

func exitCode(err error) (int, error) {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		if code := exit.ExitCode(); code >= 0 {
			return code, nil
		}
	}
	return 0, err
}

// first has process id 1. It sets up the surroundings of the tests, starts them, and fulfils the duty of that id: orphans, such as
// containers whose shim has ended, become its children, and would stay as zombies. That is why it is a process of its own: os/exec in the
// tests must find its own children.
func first() (code int, err error) {
	if err := makeMounts(); err != nil {
		return 0, err
	}
	if err := makeNetwork(); err != nil {
		return 0, err
	}
	cmd := again(stageInside)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	return waitFor(cmd.Process.Pid)
}

// waitFor returns the exit code of that child, and reaps all others that end before it.
func waitFor(child int) (code int, err error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return 0, fmt.Errorf("waiting for the tests: %w", err)
		case pid == child && status.Exited():
			return status.ExitStatus(), nil
		case pid == child && status.Signaled():
			return 0, fmt.Errorf("the tests ended by signal %s", status.Signal())
		}
	}
}
