package pluginhost

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// leaked is the memory that the process leaks.
var leaked [][]byte

// leak fills memory a little at a time, up to far less than would harm the machine, and then holds it.
func leak() {
	const step, most = 4 << 20, 256 << 20
	for ; len(leaked)*step < most; time.Sleep(5 * time.Millisecond) {
		page := make([]byte, step)
		for i := 0; i < len(page); i += 4096 {
			page[i] = 1
		}
		leaked = append(leaked, page)
	}
	time.Sleep(time.Minute)
	os.Exit(0) // even if nothing ends it
}

// startLeakingChild is for a plugin that is small itself; its child is not, and does not end with it by itself.
func startLeakingChild() (pid int) {
	leaker := exec.Command("/proc/self/exe")
	leaker.Env = []string{childMode + "=leak"}
	if err := leaker.Start(); err != nil {
		panic(err)
	}
	return leaker.Process.Pid
}

// A plugin that exceeds its memory limit, itself or through a child, is ended with all its children and restarted, each time. Another
// plugin does not notice.
func TestMemoryLimit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux the memory of plugins is known")
	}
	for _, behaviour := range []string{"leak", "leak in a child"} {
		t.Run(behaviour, func(t *testing.T) {
			c := config("p", "rpc")
			c.MemoryLimit = 100 << 20
			w := newWorld(t, c, config("q", "rpc"))
			w.ready("q")
			other := w.health("q").PID
			for restarts := range 2 {
				leaker := w.leaks("p", behaviour)
				w.until("it is restarted", func() bool { return w.health("p").Restarts == restarts+1 })
				w.until("what leaks is gone", func() bool { return isGone(leaker) })
				w.ready("p")
			}
			if f := w.health("p").LastFault; f == nil || f.Kind != Crashed || !strings.Contains(f.Message, "was restarted: it used 1") ||
				!strings.Contains(f.Message, "Mi of memory, which exceeds its memoryLimit of 100Mi") {
				t.Errorf("fault: %+v", f)
			}
			if logged := w.logged(); !strings.Contains(logged, "memoryLimit of 100Mi") {
				t.Errorf("the log does not say so:\n%s", logged)
			}
			if _, err := w.one("q", pod(1, "")); err != nil || w.health("q").PID != other {
				t.Errorf("the other plugin was restarted, too, or does not answer: %v", err)
			}
		})
	}
}

// leaks lets a plugin begin to leak, and returns the process that does.
func (w *world) leaks(name, behaviour string) (pid int) {
	w.t.Helper()
	w.ready(name)
	v, err := w.one(name, pod(0, behaviour))
	require.NoError(w.t, err)
	pid, err = strconv.Atoi(v.GetDiagnostics())
	require.NoError(w.t, err)
	return pid
}

// A changed limit takes effect without a new process.
func TestMemoryLimitIsChanged(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only on Linux the memory of plugins is known")
	}
	c := config("p", "rpc")
	w := newWorld(t, c)
	first := w.leaks("p", "leak")
	w.until("it has leaked", func() bool { return memoryOf(first) > 150<<20 })
	c.MemoryLimit = 2 << 30
	w.Reload([]Config{c})
	if h := w.health("p"); h.PID != first || h.Replacement != "" {
		t.Fatalf("it was restarted: %+v", h)
	}
	c.MemoryLimit = 100 << 20
	w.Reload([]Config{c})
	w.until("it is killed", func() bool { return isGone(first) })
}
