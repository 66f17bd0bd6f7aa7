package pluginhost

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// serveHost runs a host process that waits to be killed. It prints the process id of its plugin.
func serveHost() {
	h := newHost(Options{}, quick)
	h.Reload([]Config{config("p", "rpc")})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := h.AwaitReady(ctx, "p"); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	// Idle threads come and go meanwhile; the plugin must not end with one of them.
	for range 100 {
		go runtime.LockOSThread()
	}
	time.Sleep(100 * time.Millisecond)
	fmt.Println(h.Health()[0].PID, h.Health()[0].Restarts)
	time.Sleep(time.Minute)
	os.Exit(1)
}

func TestHostIsKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends children with their parent")
	}
	own, err := os.Executable()
	require.NoError(t, err)
	sockets, err := os.MkdirTemp("", "ph")
	require.NoError(t, err)
	defer os.RemoveAll(sockets) // a killed host leaves them behind
	host := exec.Command(own)
	host.Env = []string{hostMode + "=1", "TMPDIR=" + sockets}
	out, err := host.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, host.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	var pid, restarts int
	if _, err := fmt.Sscan(line, &pid, &restarts); err != nil || isGone(pid) || restarts != 0 {
		host.Process.Kill()
		host.Wait()
		t.Fatalf("the host says %q", line)
	}
	host.Process.Kill()
	host.Wait()
	for deadline := time.Now().Add(10 * time.Second); !isGone(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the plugin outlives the host")
		}
	}
}

// isGone reports whether the process is gone, or is a zombie until somebody waits for it.
func isGone(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return true
	}
	_, after, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(after, "Z")
}
