package pluginhost

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"

	goplugin "github.com/hashicorp/go-plugin"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// maxHandshake is more than the first line of any plugin; certificates are the longest part of it.
const maxHandshake = 16 << 10

// handshake is the first line that a plugin writes to stdout. Go-plugin reads it from here, and then the end of the file.
// A line that is no handshake is kept from it.
type handshake struct {
	done   chan struct{} // closed when the line is known, or that there is none
	reader *strings.Reader
	// What is wrong with it; nil if nothing is. Only after done.
	problem *handshakeProblem
}

// handshakeProblem is why a first line is not usable.
type handshakeProblem struct {
	kind FaultKind
	text string
}

func newHandshake() *handshake {
	return &handshake{done: make(chan struct{})}
}

// read takes the first line of stdout, and sends all others to the log.
func (h *handshake) read(stdout io.Reader, rest *output) {
	r := bufio.NewReaderSize(stdout, maxHandshake)
	line, _, err := r.ReadLine()
	text := strings.TrimSpace(string(line))
	if err != nil {
		h.problem = &handshakeProblem{NotRunning, "it ended without a handshake on stdout"}
	} else {
		h.problem = checkHandshake(text)
	}
	if h.problem != nil {
		text = ""
	}
	h.reader = strings.NewReader(text)
	close(h.done)
	rest.copyLines(r)
}

// Read waits for the line.
func (h *handshake) Read(b []byte) (int, error) {
	<-h.done
	return h.reader.Read(b)
}

// Close does nothing; the process owns the pipe.
func (h *handshake) Close() error { return nil }

// checkHandshake is stricter than go-plugin, which takes a plugin without certificate, and panics on a certificate that
// it did not ask for. We always ask: without one, anybody could answer in place of the plugin.
func checkHandshake(line string) *handshakeProblem {
	part := strings.Split(line, "|")
	if len(part) < 5 || !isNumber(part[0]) {
		return &handshakeProblem{Incompatible, fmt.Sprintf("it is no plugin: the first line on its stdout has to be the "+
			"handshake, but is %q", completion.Cut(line, 200))}
	}
	problem := func(format string, args ...any) *handshakeProblem {
		return &handshakeProblem{Incompatible, fmt.Sprintf(format, args...)}
	}
	switch {
	case part[0] != strconv.Itoa(goplugin.CoreProtocolVersion):
		return problem("it speaks version %s of the handshake, the controller %d", completion.Cut(part[0], 20), goplugin.CoreProtocolVersion)
	case part[1] != strconv.Itoa(plugin.Version):
		return problem("it speaks version %s of the protocol, the controller %d", completion.Cut(part[1], 20), plugin.Version)
	case part[2] != "unix" && part[2] != "tcp":
		return problem("it listens on %q, which is neither unix nor tcp", completion.Cut(part[2], 20))
	case part[4] != string(goplugin.ProtocolGRPC):
		return problem("it speaks %q and not grpc", completion.Cut(part[4], 20))
	case len(part) < 6 || !isCertificate(part[5]):
		return problem("its handshake has no certificate, which PLUGIN_CLIENT_CERT in its environment asks for")
	}
	return nil
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

func isCertificate(text string) bool {
	der, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return false
	}
	_, err = x509.ParseCertificate(der)
	// Go-plugin takes a shorter field for something else.
	return err == nil && len(text) > 50
}
