package pluginhost

import (
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// exitNotice is the time after a broken connection within which the end of the process is noticed.
const exitNotice = time.Second

// callFault translates the error of a call into a fault.
func (ch *child) callFault(c Config, service string, err error) *Fault {
	s := status.Convert(err)
	switch s.Code() {
	case codes.DeadlineExceeded:
		return c.fault(Timeout, "no answer within %s", c.timeout())
	case codes.Unimplemented:
		return c.fault(Incompatible, "does not serve %s: %s", service, s.Message())
	case codes.ResourceExhausted:
		if strings.Contains(s.Message(), "larger than max") {
			return c.fault(TooLarge, "the answer is larger than %d bytes: %s", plugin.MaxMessage, s.Message())
		}
	case codes.Unavailable, codes.Canceled:
		select {
		case <-ch.process.ended:
			return ch.exitFault(c)
		case <-time.After(exitNotice):
		}
		// In these cases gRPC's own error looks like a plugin that has lost a dependency.
		if strings.HasPrefix(s.Message(), "connection error") || strings.HasPrefix(s.Message(), "error reading from server") {
			return c.fault(Crashed, "the connection broke: %s", s.Message())
		}
	}
	return c.fault(Failed, "answered with the error %s: %s", s.Code(), s.Message())
}
