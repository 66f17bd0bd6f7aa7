package pluginhost

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestWhatIsNoPlugin(t *testing.T) {
	const certificate = "MIIB" // too short for one
	tests := []struct {
		mode, handshake string
		kind            FaultKind
		message         string
	}{
		{"exit", "", NotRunning, "the process ended with exit status 3; its last words: out of luck"},
		{"silent", "", Timeout, "gave no handshake"},
		{"garbage", "", Incompatible, `it is not a plugin: the first line on its stdout must be the handshake, but is "hello, I am no plugin\x1b[31m"`},
		{"endless line", "", Incompatible, "it is not a plugin"},
		{"version2", "", Incompatible, "it speaks version 2 of the protocol, but the controller speaks 1"},
		{"handshake", "2|1|unix|/x|grpc|", Incompatible, "version 2 of the handshake"},
		{"handshake", "1|1|unix|/x|netrpc|", Incompatible, `it speaks "netrpc", not grpc`},
		{"handshake", "1|1|unix|/x|grpc|", Incompatible, "its handshake has no certificate"},
		{"handshake", "1|1|unix|/x|grpc|" + certificate, Incompatible, "its handshake has no certificate"},
		{"handshake", "1|1|unix|/x|grpc|" + strings.Repeat("!", 100), Incompatible, "its handshake has no certificate"},
		{"handshake", "1|1|pigeon|/x|grpc|", Incompatible, `listens on "pigeon"`},
	}
	for _, tt := range tests {
		t.Run(tt.mode+" "+tt.handshake, func(t *testing.T) {
			c := config("p", tt.mode)
			c.Env["HANDSHAKE"] = tt.handshake
			c.Timeout = 5 * time.Second
			w := newWorld(t)
			w.timing.start = time.Second
			w.Reload([]Config{c})
			_, err := w.one("p", pod(0, ""))
			wantFault(t, err, tt.kind, tt.message)
			if h := w.health("p"); h.State != Failing || h.Restarts == 0 || h.LastFault == nil {
				t.Errorf("health: %+v", h)
			}
		})
	}
}

func wantStartFault(t *testing.T, c Config, kind FaultKind, text string) {
	t.Helper()
	w := newWorld(t, c)
	_, err := w.one(c.Name, pod(0, ""))
	wantFault(t, err, kind, text)
}

func TestFilesThatAreNotThere(t *testing.T) {
	c := config("p", "rpc")
	c.Command = "/no/such/file"
	t.Run("command", func(t *testing.T) { wantStartFault(t, c, NotRunning, "cannot be started") })
	c.Command = "no-such-plugin"
	t.Run("bare", func(t *testing.T) { wantStartFault(t, c, NotRunning, "/plugins/no-such-plugin") })
	c.Command = "/proc/self/status"
	t.Run("no program", func(t *testing.T) { wantStartFault(t, c, NotRunning, "permission denied") })
	c = config("p", "rpc")
	c.SHA256 = strings.Repeat("0", 64)
	t.Run("checksum", func(t *testing.T) { wantStartFault(t, c, NotRunning, "but the configuration requires 0000") })
	c = config("p", "rpc")
	c.Files = map[string]string{"/no/such/script": ""}
	t.Run("file", func(t *testing.T) { wantStartFault(t, c, NotRunning, "/no/such/script") })
}

func TestChecksumThatFits(t *testing.T) {
	c := config("p", "rpc")
	sum, err := fileSum(c.Command)
	require.NoError(t, err)
	c.SHA256, c.Files = strings.ToUpper(sum), map[string]string{c.Command: sum}
	w := newWorld(t, c)
	if v, err := w.one("p", pod(0, "")); err != nil || v == nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestRefusedParameters(t *testing.T) {
	c := config("p", "rpc")
	c.Parameters = map[string]any{"bad": 1.0}
	w := newWorld(t, c)
	_, err := w.one("p", pod(0, ""))
	wantFault(t, err, RefusedParameters, "refuses its parameters: parameter bad is unknown")
	if h := w.health("p"); h.State != Refused || h.Restarts != 0 {
		t.Errorf("health: %+v", h)
	}
	c.Parameters = map[string]any{"good": 1.0}
	w.Reload([]Config{c})
	if v, err := w.one("p", pod(0, "")); err != nil || v == nil {
		t.Errorf("after the correction: %v, %v", v, err)
	}
}

func TestKindThatIsNotServed(t *testing.T) {
	c := config("p", "rpc")
	c.Env["NO_SERVICE"] = "1"
	wantStartFault(t, c, Incompatible, "does not serve FailureClassifier")
}

// A plugin that takes long to start is waited for, however little time its answers have.
func TestSlowStart(t *testing.T) {
	c := config("p", "rpc")
	c.Timeout = 100 * time.Millisecond
	c.Env["START"] = "1s"
	w := newWorld(t, c)
	if v, err := w.one("p", pod(0, "")); err != nil || v == nil {
		t.Errorf("at first: %v, %v", v, err)
	}
	require.NoError(t, syscall.Kill(w.health("p").PID, syscall.SIGKILL))
	if v, err := w.one("p", pod(1, "")); err != nil || v == nil {
		t.Errorf("after a crash: %v, %v", v, err)
	}
}
