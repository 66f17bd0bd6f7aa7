package controller

import (
	"bytes"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
)

// logBuffer keeps the log.
type logBuffer struct {
	mu   sync.Mutex // held by hclog while it writes
	text bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) { return b.text.Write(p) }

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// lines returns the lines that hold a text.
func (b *logBuffer) lines(text string) []string {
	var out []string
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, text) {
			out = append(out, strings.TrimSpace(line))
		}
	}
	return out
}

// panickyLog panics on a message about one Framework, as a bug in a round might.
type panickyLog struct {
	hclog.Logger
	framework string
}

func (l panickyLog) Info(text string, pairs ...any) {
	for _, value := range pairs {
		if value == l.framework {
			panic("a bug")
		}
	}
	l.Logger.Info(text, pairs...)
}
