package pluginhost

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
)

func testOutput() (*output, *bytes.Buffer, *time.Time) {
	log, now := &bytes.Buffer{}, time.Unix(0, 0)
	logger := hclog.New(&hclog.LoggerOptions{Name: "p", Output: log, Level: hclog.Debug, DisableTime: true})
	return newOutput(logger, func() time.Time { return now }), log, &now
}

func TestOutput(t *testing.T) {
	tests := []struct{ name, written, want string }{
		{"text", "hello\n", "[INFO]  p: hello\n"},
		{"empty lines", "\n\r\n \n", ""},
		{"without end of line", "hello", "[INFO]  p: hello\n"},
		{"panic", "panic: oh\n", "[ERROR] p: panic: oh\n"},
		{"hclog", `{"@level":"warn","@message":"m","@module":"x","b":2,"a":"x y"}` + "\n", "[WARN]  p: m: a=\"x y\" b=2\n"},
		{"other JSON", `{"level":"warn","msg":"m"}` + "\n", `[INFO]  p: {"level":"warn","msg":"m"}` + "\n"},
		{"lines that look like ours", `{"@level":"info","@message":"m\n[ERROR] p: n"}` + "\n", "[INFO]  p: m [ERROR] p: n\n"},
		{"colours", "\x1b[31mred\n", "[INFO]  p:  [31mred\n"},
		{"no UTF-8", "a\xffb\n", "[INFO]  p: a?b\n"},
		{"long", strings.Repeat("x", 3*maxLine) + "\nnext\n", "[INFO]  p: " + strings.Repeat("x", maxText) + "\n[INFO]  p: next\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, log, _ := testOutput()
			o.copy(strings.NewReader(tt.written))
			if log.String() != tt.want {
				t.Errorf("got %.300q\nwant %.300q", log, tt.want)
			}
		})
	}
}

func TestOutputInPieces(t *testing.T) {
	o, log, _ := testOutput()
	for _, piece := range []string{"he", "llo\nwor", "ld", "\n", strings.Repeat("x", 3*maxLine), "y\nend\n"} {
		if n, err := o.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatal(n, err)
		}
	}
	want := "[INFO]  p: hello\n[INFO]  p: world\n[INFO]  p: " + strings.Repeat("x", maxText) + "\n[INFO]  p: end\n"
	if log.String() != want {
		t.Errorf("got %.300q", log)
	}
}

func TestOutputIsLimited(t *testing.T) {
	o, log, now := testOutput()
	for i := range linesAtOnce + 100 {
		o.line(fmt.Sprintf("line %d", i))
	}
	if n := strings.Count(log.String(), "\n"); n != linesAtOnce {
		t.Errorf("%d lines at once", n)
	}
	*now = now.Add(time.Second)
	log.Reset()
	for range 100 {
		o.line("later")
	}
	want := "[WARN]  p: dropped lines of the plugin's output: count=100\n" + strings.Repeat("[INFO]  p: later\n", linesPerSecond)
	if log.String() != want {
		t.Errorf("got %s", log)
	}
}

func TestLastWords(t *testing.T) {
	o, _, _ := testOutput()
	for _, line := range []string{"a", "b", "c", "d"} {
		o.line(line)
	}
	if got := o.last(); got != "b | c | d" {
		t.Errorf("got %q", got)
	}
	o.line("panic: oh")
	o.line("goroutine 1 [running]:")
	if got := o.last(); got != "panic: oh" {
		t.Errorf("got %q", got)
	}
	o.begin()
	if got := o.last(); got != "" {
		t.Errorf("got %q", got)
	}
}
