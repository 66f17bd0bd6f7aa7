package config

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"strconv"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/election"
)

// Flags are the controller's command line.
type Flags struct {
	// Path of the configuration file.
	ConfigPath string
	// Check whether the configuration file is valid, and exit.
	Check bool
	// Print the version and exit.
	Version bool
	// Print version, commit, Go version and platform in one line, and exit: the only argument is version.
	Build bool
	// Address for probes and scrapes, as host:port; without a host, on all addresses. Empty: neither is served.
	HTTPAddress string
	// Run only while this process holds the Lease in LeaseNamespace, which is empty for the namespace of the Pod. If
	// false, only the operator's care keeps two controllers apart, as with the original.
	LeaderElect    bool
	LeaseNamespace string
	// Timing of the Lease; election.Defaults unless flags set it.
	LeaseTiming election.Timing
	// The klog verbosity, by default 2. Only LogLevel uses it.
	Verbosity int
}

// LogLevel returns debug for a verbosity of 4 or more, the verbosity of Kubernetes' debug messages, and info below.
func (f Flags) LogLevel() string {
	if f.Verbosity >= 4 {
		return "debug"
	}
	return "info"
}

const usage = `Usage: frameworkcontroller [flags]
       frameworkcontroller version    print version, commit, Go version and platform, and exit

  --config path         configuration file (default ` + DefaultPath + `)
  --check               check the configuration file without connecting to anything, and exit
  --http-address addr   host:port, or :port, for /healthz, /readyz and /metrics (default: not served)
  --leader-elect        run only while holding a lease, so that other controllers can stand by
  --leader-elect-namespace ns             namespace of the lease (default: the Pod's namespace)
  --leader-elect-lease-duration duration  how long others wait after the last renewal (default 8s)
  --leader-elect-renew-deadline duration  how long renewal is tried before the controller exits (default 5s)
  --leader-elect-retry-period duration    pause between attempts (default 1s)
  -v number             log verbosity; 4 and above log debug messages (default 2)
  --version             print the version and exit

The other flags of klog, such as -logtostderr, are accepted and ignored. Logs go to stderr.
`

// ErrHelp means that the user asked for help, which was printed.
var ErrHelp = flag.ErrHelp

// ParseFlags reads the arguments after the program's name. Start scripts of the original may pass any flag of klog.
// Help is printed to out.
func ParseFlags(args []string, out io.Writer) (Flags, error) {
	f := Flags{LeaseTiming: election.Defaults}
	if len(args) == 1 && args[0] == "version" {
		f.Build = true
		return f, nil
	}
	set := flag.NewFlagSet("frameworkcontroller", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.StringVar(&f.ConfigPath, "config", DefaultPath, "")
	set.BoolVar(&f.Check, "check", false, "")
	set.BoolVar(&f.Version, "version", false, "")
	set.StringVar(&f.HTTPAddress, "http-address", "", "")
	set.IntVar(&f.Verbosity, "v", 2, "")
	defineElectionFlags(set, &f)
	ignoreKlogFlags(set)
	err := set.Parse(args)
	if errors.Is(err, ErrHelp) {
		fmt.Fprint(out, usage)
	}
	if err == nil && set.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q: see --help", set.Arg(0))
	}
	if err == nil {
		err = checkAddress(f.HTTPAddress)
	}
	if err == nil {
		err = f.LeaseTiming.Validate()
	}
	return f, err
}

// defineElectionFlags uses the flag names of Kubernetes' own components.
func defineElectionFlags(set *flag.FlagSet, f *Flags) {
	set.BoolVar(&f.LeaderElect, "leader-elect", false, "")
	set.StringVar(&f.LeaseNamespace, "leader-elect-namespace", "", "")
	set.DurationVar(&f.LeaseTiming.LeaseDuration, "leader-elect-lease-duration", f.LeaseTiming.LeaseDuration, "")
	set.DurationVar(&f.LeaseTiming.RenewDeadline, "leader-elect-renew-deadline", f.LeaseTiming.RenewDeadline, "")
	set.DurationVar(&f.LeaseTiming.RetryPeriod, "leader-elect-retry-period", f.LeaseTiming.RetryPeriod, "")
}

// checkAddress rejects an invalid address before it is taken for a host name. Its error names the flag.
func checkAddress(address string) error {
	if address == "" {
		return nil
	}
	_, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return fmt.Errorf("--http-address: %q is not host:port or :port, such as :8080: leave it out to have no probes and metrics", address)
	}
	return nil
}

// ignoreKlogFlags defines the flags that klog v1 and v2 have besides -v.
func ignoreKlogFlags(set *flag.FlagSet) {
	switches := []string{
		"logtostderr", "alsologtostderr", "add_dir_header", "skip_headers", "skip_log_headers", "one_output",
		"legacy_stderr_threshold_behavior",
	}
	for _, name := range switches {
		set.Var(ignored{isSwitch: true}, name, "")
	}
	values := []string{"stderrthreshold", "log_backtrace_at", "log_dir", "log_file", "log_file_max_size", "vmodule"}
	for _, name := range values {
		set.Var(ignored{}, name, "")
	}
}

// ignored is the value of a flag that has no effect. A switch needs no value.
type ignored struct{ isSwitch bool }

func (ignored) String() string { return "" }

func (ignored) Set(string) error { return nil }

func (i ignored) IsBoolFlag() bool { return i.isSwitch }
