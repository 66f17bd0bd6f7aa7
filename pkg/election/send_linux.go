package election

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// send hands b to the kernel as it has room, and asks the fence right before each piece, including after a wait for room, as
// another process may lead by then.
func (w *fencedConn) send(b []byte) (n int, err error) {
	socket, ok := w.Conn.(syscall.Conn)
	if !ok {
		return w.sendWhole(b)
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failure error
	err = raw.Write(func(fd uintptr) (done bool) {
		for n < len(b) && failure == nil {
			if w.fence.expired() {
				failure = errOver
				break
			}
			sent, err := unix.Write(int(fd), b[n:])
			switch err {
			case nil:
				n += sent
			case unix.EINTR:
			case unix.EAGAIN:
				return false
			default:
				failure = &net.OpError{Op: "write", Net: w.RemoteAddr().Network(), Source: w.LocalAddr(), Addr: w.RemoteAddr(),
					Err: os.NewSyscallError("write", err)}
			}
		}
		return true
	})
	if failure != nil {
		return n, failure
	}
	return n, err
}
