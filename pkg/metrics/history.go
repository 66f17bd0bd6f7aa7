package metrics

import (
	"io"

	"github.com/prometheus/client_golang/prometheus"
)

type historyCounters struct{ lines, bytes prometheus.Counter }

func newHistoryCounters(r *prometheus.Registry) historyCounters {
	return historyCounters{
		lines: counter(r, "history_lines_total", "Lines of the history in the log."),
		bytes: counter(r, "history_bytes_total", "Size of the history in the log, in bytes."),
	}
}

// History returns a writer that counts the lines that it passes on. Each Write must be one line.
func (s *Set) History(to io.Writer) io.Writer { return historyWriter{to, s.history} }

type historyWriter struct {
	to io.Writer
	historyCounters
}

func (w historyWriter) Write(line []byte) (int, error) {
	n, err := w.to.Write(line)
	if err == nil {
		w.lines.Inc()
		w.bytes.Add(float64(n))
	}
	return n, err
}
