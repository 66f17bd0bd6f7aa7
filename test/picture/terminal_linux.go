package picture

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// Screen collects the output to a terminal.
type Screen struct {
	mu      sync.Mutex
	text    strings.Builder
	control *os.File
}

// Terminal creates a terminal of that size. The caller passes it to a process, and then closes it; its output stays in Screen.
func Terminal(columns, rows uint16) (terminal *os.File, shown *Screen, err error) {
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	terminal, err = other(control, columns, rows)
	if err != nil {
		control.Close()
		return nil, nil, err
	}
	shown = &Screen{control: control}
	go shown.read()
	return terminal, shown, nil
}

// other opens the end of a terminal that programs see.
func other(control *os.File, columns, rows uint16) (*os.File, error) {
	fd := int(control.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return nil, err
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return nil, err
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		return nil, err
	}
	return os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
}

// read ends when no process has the terminal open.
func (s *Screen) read() {
	defer s.control.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := s.control.Read(buffer)
		s.mu.Lock()
		s.text.Write(buffer[:n])
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// String returns the output so far, with escape codes.
func (s *Screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
