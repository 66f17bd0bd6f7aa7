package controller

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// A machine that has gone without a word is noticed.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer server.Close()
	dialled, err := apiserver.Dial(t.Context(), "tcp", server.Addr().String())
	require.NoError(t, err)
	defer dialled.Close()
	raw, err := dialled.(*net.TCPConn).SyscallConn()
	require.NoError(t, err)
	option := func(name int) (value int) {
		err := raw.Control(func(fd uintptr) { value, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, name) })
		if err != nil {
			t.Error(err)
		}
		return value
	}
	idle, interval, probes := option(unix.TCP_KEEPIDLE), option(unix.TCP_KEEPINTVL), option(unix.TCP_KEEPCNT)
	if longest := idle + interval*probes; longest != 30 {
		t.Errorf("it is noticed after %d s", longest)
	}
}
