package logs

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"time"
)

// mostPiece is the size of the pieces of a long line, in bytes.
const mostPiece = 64 << 10

// Line is a line, or a piece of a long one.
type Line struct {
	// Time in nanoseconds since 1970; 0 if the kubelet has written no time yet.
	Time int64
	// Text has the line feed if the line ends here.
	Text []byte
}

// ends reports whether the line ends with this piece.
func (l Line) ends() bool { return bytes.HasSuffix(l.Text, []byte("\n")) }

// Scan reads a log that the API server sends with timestamps. It calls each for every line until each returns an error. The text is
// valid until each returns. The kubelet writes one time for each line, also for a long line that the runtime stores in pieces.
func Scan(r io.Reader, each func(Line) error) error {
	reader := bufio.NewReaderSize(r, mostPiece)
	begins, last := true, int64(0)
	for {
		text, err := reader.ReadSlice('\n')
		if len(text) > 0 {
			if begins {
				if at, rest, ok := stamped(text); ok {
					last, text = at, rest
				}
			}
			line := Line{Time: last, Text: text}
			begins = line.ends()
			if err := each(line); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull), err == nil:
		case errors.Is(err, io.EOF):
			return nil
		default:
			return err
		}
	}
}

// stamped splits the time from a line.
func stamped(line []byte) (at int64, text []byte, ok bool) {
	const longest = len("2006-01-02T15:04:05.000000000+00:00 ")
	end := bytes.IndexByte(line[:min(len(line), longest)], ' ')
	if end < 0 {
		return 0, nil, false
	}
	t, err := time.Parse(time.RFC3339Nano, string(line[:end]))
	if err != nil || t.Year() < 1970 || t.Year() > 2200 { // outside, nanoseconds do not fit
		return 0, nil, false
	}
	return t.UnixNano(), line[end+1:], true
}
