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

// maxHandshake exceeds the first line of any plugin; certificates are its longest part.
const maxHandshake = 16 << 10

// handshake is the first line that a plugin writes to stdout. Go-plugin reads it from here, and then the end of the
// file. A line that is not a handshake is withheld from go-plugin.
type handshake struct {
	done   chan struct{} // closed when the line, or its absence, is known
	reader *strings.Reader
	// Problem with the line; nil if there is none. Read it only after done.
	problem *handshakeProblem
}

// handshakeProblem is the reason why a first line is not usable.
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

// checkHandshake is stricter than go-plugin, which accepts a plugin without a certificate, and panics on a certificate
// that it did not ask for. The host always asks: without a certificate, anybody could answer in place of the plugin.
func checkHandshake(line string) *handshakeProblem {
	part := strings.Split(line, "|")
	if len(part) < 5 || !isNumber(part[0]) {
		return &handshakeProblem{Incompatible, fmt.Sprintf("it is not a plugin: the first line on its stdout must be the "+
			"handshake, but is %q", completion.Cut(line, 200))}
	}
	problem := func(format string, args ...any) *handshakeProblem {
		return &handshakeProblem{Incompatible, fmt.Sprintf(format, args...)}
	}
	switch {
	case part[0] != strconv.Itoa(goplugin.CoreProtocolVersion):
		return problem("it speaks version %s of the handshake, but the controller speaks %d", completion.Cut(part[0], 20), goplugin.CoreProtocolVersion)
	case part[1] != strconv.Itoa(plugin.Version):
		return problem("it speaks version %s of the protocol, but the controller speaks %d", completion.Cut(part[1], 20), plugin.Version)
	case part[2] != "unix" && part[2] != "tcp":
		return problem("it listens on %q, which is neither unix nor tcp", completion.Cut(part[2], 20))
	case part[4] != string(goplugin.ProtocolGRPC):
		return problem("it speaks %q, not grpc", completion.Cut(part[4], 20))
	case len(part) < 6 || !isCertificate(part[5]):
		return problem("its handshake has no certificate, which is required when PLUGIN_CLIENT_CERT is set")
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
	// Go-plugin misreads a shorter field.
	return err == nil && len(text) > 50
}
