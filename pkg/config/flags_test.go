package config

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/election"
)

func TestParseFlags(t *testing.T) {
	tests := []struct {
		args  string
		want  Flags
		level string
	}{
		{"", Flags{ConfigPath: DefaultPath, Verbosity: 2}, "info"},
		{"--config /etc/fc.yaml", Flags{ConfigPath: "/etc/fc.yaml", Verbosity: 2}, "info"},
		{"-config=a -version", Flags{ConfigPath: "a", Version: true, Verbosity: 2}, "info"},
		{"--check --config a", Flags{ConfigPath: "a", Check: true, Verbosity: 2}, "info"},
		{"--http-address=:8080", Flags{ConfigPath: DefaultPath, HTTPAddress: ":8080", Verbosity: 2}, "info"},
		{"--http-address [::1]:0", Flags{ConfigPath: DefaultPath, HTTPAddress: "[::1]:0", Verbosity: 2}, "info"},
		{"--leader-elect --leader-elect-namespace=fc",
			Flags{ConfigPath: DefaultPath, LeaderElect: true, LeaseNamespace: "fc", Verbosity: 2}, "info"},
		{"--leader-elect-lease-duration 30s --leader-elect-renew-deadline=20s --leader-elect-retry-period 4s",
			Flags{ConfigPath: DefaultPath, LeaseTiming: election.Timing{LeaseDuration: 30 * time.Second,
				RenewDeadline: 20 * time.Second, RetryPeriod: 4 * time.Second}, Verbosity: 2}, "info"},
		{"-v 3", Flags{ConfigPath: DefaultPath, Verbosity: 3}, "info"},
		{"--v=4", Flags{ConfigPath: DefaultPath, Verbosity: 4}, "debug"},
		{"-v=10", Flags{ConfigPath: DefaultPath, Verbosity: 10}, "debug"},
		{"-logtostderr -stderrthreshold=WARNING -v 5", Flags{ConfigPath: DefaultPath, Verbosity: 5}, "debug"},
		{"-logtostderr=true -alsologtostderr -log_dir /tmp -log_file f -log_file_max_size 5 -skip_headers -skip_log_headers " +
			"-add_dir_header -one_output -vmodule a=1 -log_backtrace_at f.go:1 -legacy_stderr_threshold_behavior --stderrthreshold 2",
			Flags{ConfigPath: DefaultPath, Verbosity: 2}, "info"},
	}
	for _, tt := range tests {
		var out strings.Builder
		if tt.want.LeaseTiming == (election.Timing{}) {
			tt.want.LeaseTiming = election.Defaults
		}
		got, err := ParseFlags(strings.Fields(tt.args), &out)
		if err != nil || got != tt.want || got.LogLevel() != tt.level || out.Len() > 0 {
			t.Errorf("%s: got %+v, %v, %q", tt.args, got, err, out.String())
		}
	}
}

// version alone is a command. With anything else, it is an unexpected argument.
func TestParseFlagsVersion(t *testing.T) {
	if got, err := ParseFlags([]string{"version"}, io.Discard); err != nil || !got.Build || got.Version {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestParseFlagsErrors(t *testing.T) {
	tests := map[string]string{
		"-nosuch":       "flag provided but not defined: -nosuch",
		"-v debug":      `invalid value "debug" for flag -v: parse error`,
		"-config":       "flag needs an argument: -config",
		"my.yaml":       `unexpected argument "my.yaml": see --help`,
		"-version more": `unexpected argument "more": see --help`,
		"version more":  `unexpected argument "version": see --help`,
		"-v 3 version":  `unexpected argument "version": see --help`,

		"--http-address 8080":   `--http-address: "8080" is not host:port or :port, such as :8080: leave it out to have no probes and metrics`,
		"--http-address :http":  `--http-address: ":http" is not host:port or :port, such as :8080: leave it out to have no probes and metrics`,
		"--http-address :70000": `--http-address: ":70000" is not host:port or :port, such as :8080: leave it out to have no probes and metrics`,
	}
	const flag = "--leader-elect-"
	for args, want := range map[string]string{
		"lease-duration 8500ms": "lease-duration: 8.5s is not a number of whole seconds",
		"lease-duration 6s":     "lease-duration: 6s must be at least 1.5s more than --leader-elect-renew-deadline, 5s, as writes must end in between",
		"renew-deadline 1s":     "renew-deadline: 1s is less than twice --leader-elect-retry-period, 1s",
		"retry-period -1s":      "retry-period: -1s is less than 100ms",
		"retry-period 0s":       "retry-period: 0s is less than 100ms",
		"renew-deadline -5s":    "renew-deadline: -5s is less than twice --leader-elect-retry-period, 1s",
	} {
		tests[flag+args] = flag + want
	}
	for args, want := range tests {
		var out strings.Builder
		if _, err := ParseFlags(strings.Fields(args), &out); err == nil || err.Error() != want || out.Len() > 0 {
			t.Errorf("%s: got %v, %q", args, err, out.String())
		}
	}
}

func TestParseFlagsHelp(t *testing.T) {
	var out strings.Builder
	if _, err := ParseFlags([]string{"--help"}, &out); !errors.Is(err, ErrHelp) || !strings.HasPrefix(out.String(), "Usage: frameworkcontroller") {
		t.Errorf("got %v, %q", err, out.String())
	}
}
