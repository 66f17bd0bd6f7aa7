//go:build !linux

package election

func (w *fencedConn) send(b []byte) (int, error) { return w.sendWhole(b) }
