package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A request that is held back is never sent if the client disconnects meanwhile: it must not arrive late, when another client has taken
// over.
func TestHeldBackRequestEndsWithItsClient(t *testing.T) {
	held := make(chan error, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		TakeBody(r)
		ctx, cancel := context.WithTimeout(r.Context(), 10*time.Second)
		defer cancel()
		<-ctx.Done()
		held <- r.Context().Err()
	}))
	defer server.Close()
	client, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	io.WriteString(client, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
	time.AfterFunc(100*time.Millisecond, func() { client.Close() })
	if err := <-held; err == nil {
		t.Error("it is held as if its client were still there")
	}
}
