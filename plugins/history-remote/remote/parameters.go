package remote

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"path/filepath"
	"regexp"
	"time"

	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// spec is the form of the parameters.
type spec struct {
	// URL of the server, without the path of its API.
	URL string `json:"url"`
	// Cluster is the name under which the server stores the records.
	Cluster string `json:"cluster"`
	// CAFile has the certificates of the authorities that may have signed the server's; empty for the certificates of the system.
	CAFile string `json:"caFile"`
	// TokenFile has the token for the server.
	TokenFile string `json:"tokenFile"`
	// SpoolDirectory keeps records while the server is away; empty for no spool.
	SpoolDirectory string `json:"spoolDirectory"`
	// SpoolBytes is the maximum size of the spool.
	SpoolBytes resource.Quantity `json:"spoolBytes"`
	// Timeout is the time for an answer of the server.
	Timeout string `json:"timeout"`
	// Logs has the server collect the logs of Pods before these are deleted.
	Logs bool `json:"logs"`

	records string        // URL that takes records
	logs    string        // URL that collects logs
	timeout time.Duration // the same as Timeout
	plain   bool          // http, which is for this machine alone and carries no token
}

const (
	serviceAccount = "/var/run/secrets/kubernetes.io/serviceaccount/ca.crt"
	defaultToken   = "/var/run/secrets/frameworkcontroller/history/token"

	minSpoolBytes = 1 << 20
	maxSpoolBytes = 1 << 40
	minTimeout    = 100 * time.Millisecond
	maxTimeout    = 5 * time.Minute
)

func defaults() spec {
	return spec{Cluster: "default", CAFile: serviceAccount, TokenFile: defaultToken, SpoolBytes: resource.MustParse("32Mi"), Timeout: "3s"}
}

// read checks parameters. An error names the parameter.
func read(s *structpb.Struct) (spec, error) {
	out := defaults()
	if err := plugin.Decode(s, &out); err != nil {
		return spec{}, err
	}
	return out, out.check()
}

var validCluster = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$`)

func (s *spec) check() (err error) {
	if err := s.checkURL(); err != nil {
		return err
	}
	s.timeout, err = time.ParseDuration(s.Timeout)
	switch n := s.SpoolBytes.Value(); {
	case !validCluster.MatchString(s.Cluster):
		return fmt.Errorf("cluster: must be 1 to 63 letters, digits, '-', '_' and '.', and begin and end with a letter or digit, but is %q", s.Cluster)
	case s.CAFile != "" && !filepath.IsAbs(s.CAFile):
		return fmt.Errorf("caFile: must be an absolute path, but is %q", s.CAFile)
	case !filepath.IsAbs(s.TokenFile):
		return fmt.Errorf("tokenFile: must be an absolute path, but is %q", s.TokenFile)
	case s.SpoolDirectory != "" && !filepath.IsAbs(s.SpoolDirectory):
		return fmt.Errorf("spoolDirectory: must be an absolute path, but is %q", s.SpoolDirectory)
	case n < minSpoolBytes || n > maxSpoolBytes:
		return fmt.Errorf("spoolBytes: must be 1Mi to 1Ti, but is %s", s.SpoolBytes.String())
	case err != nil || s.timeout < minTimeout || s.timeout > maxTimeout:
		return fmt.Errorf("timeout: must be a duration from %s to %s, such as 3s, but is %q", minTimeout, maxTimeout, s.Timeout)
	}
	return nil
}

func (s *spec) checkURL() error {
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
		return errors.New("url: is missing")
	case err != nil:
		return fmt.Errorf("url: %w", err)
	case u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url: must have a host, and no user, query or fragment, but is %q", s.URL)
	case u.Scheme != "https" && !(u.Scheme == "http" && isLoopback(u.Hostname())):
		return fmt.Errorf("url: must begin with https://, or with http:// and an address of this machine, but is %q", s.URL)
	}
	s.plain = u.Scheme == "http"
	s.records, s.logs = u.JoinPath("api/v1/records").String(), u.JoinPath("api/v1/logs/collect").String()
	return nil
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}
