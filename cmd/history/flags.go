package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation"
)

// flags are the command line.
type flags struct {
	command            string // serve, backup or version
	file               string // backup file
	address            string
	metricsAddress     string
	database           string
	databaseFile       string // has the database instead
	retain             time.Duration
	retainBytes        int64
	tlsCert, tlsKey    string
	noAuth             bool
	writers            list
	writerAudience     string
	userLabel          string
	kubeconfig         string
	verbosity          int
	logsConfig         string
	retainLogBytes     int64
	retainText, amount string
	logAmount          string
}

const usage = `Usage: history [serve] [flags]         store records, and answer queries
       history backup [--database path] FILE   copy an SQLite database, also while a server runs
       history version                 print version, commit, Go version and platform, and exit

  --address addr          host:port, or :port, for the API (default :8443)
  --metrics-address addr  host:port, or :port, for /metrics (default: not served)
  --database database     path of an SQLite file, or URL of a PostgreSQL database, postgres://user@host/name; PGPASSWORD in the
                          environment may have the password (default history.db)
  --database-file file    read the database from this file instead, such as a URL with a password, which a process list would show
  --retain duration       how long a Framework is kept after its newest record, such as 90d or 12h; 0: forever (default 90d)
  --retain-bytes size     beyond this size of the database, such as 8Gi, the oldest Frameworks are deleted (default: no limit)
  --logs-config file      what is kept of the logs of Pods, in YAML; an empty file keeps the ends of those that did not succeed
                          (default: no logs are kept)
  --retain-log-bytes size beyond this compressed size of all logs, such as 4Gi, the oldest ones are deleted (default: no limit)
  --tls-cert file, --tls-key file   certificate of the server, read again when it changes (default: a self-signed one)
  --writer user           user that may store records, such as system:serviceaccount:NAMESPACE:NAME; may be repeated
  --writer-audience name  audience of the tokens of writers (default: the API server)
  --user-label key        label of Frameworks with the name of their user, by which the page selects a user's own (default: none)
  --kubeconfig file       how to reach the API server (default: as a Pod)
  --no-auth               let everybody read and write, by HTTP without TLS; only on a loopback address
  -v number               log verbosity; 4 and above log debug messages (default 2)

Logs go to stderr.
`

// list is a flag that may be repeated.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

func parseFlags(args []string, out io.Writer) (f flags, err error) {
	f.command = "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		f.command, args = args[0], args[1:]
	}
	set := flag.NewFlagSet("history", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	f.define(set)
	err = set.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		fmt.Fprint(out, usage)
	}
	if err != nil {
		return f, err
	}
	rest := set.Args()
	switch f.command {
	case "serve", "version":
	case "backup":
		if len(rest) == 0 {
			return f, errors.New("backup: name the file to write: see --help")
		}
		f.file, rest = rest[0], rest[1:]
	default:
		return f, fmt.Errorf("unknown command %q: see --help", f.command)
	}
	if len(rest) > 0 {
		return f, fmt.Errorf("unexpected argument %q: see --help", rest[0])
	}
	return f, f.check()
}

func (f *flags) define(set *flag.FlagSet) {
	set.StringVar(&f.address, "address", ":8443", "")
	set.StringVar(&f.metricsAddress, "metrics-address", "", "")
	set.StringVar(&f.database, "database", "", "")
	set.StringVar(&f.databaseFile, "database-file", "", "")
	set.StringVar(&f.retainText, "retain", "90d", "")
	set.StringVar(&f.amount, "retain-bytes", "0", "")
	set.StringVar(&f.logsConfig, "logs-config", "", "")
	set.StringVar(&f.logAmount, "retain-log-bytes", "0", "")
	set.StringVar(&f.tlsCert, "tls-cert", "", "")
	set.StringVar(&f.tlsKey, "tls-key", "", "")
	set.BoolVar(&f.noAuth, "no-auth", false, "")
	set.Var(&f.writers, "writer", "")
	set.StringVar(&f.writerAudience, "writer-audience", "", "")
	set.StringVar(&f.userLabel, "user-label", "", "")
	set.StringVar(&f.kubeconfig, "kubeconfig", "", "")
	set.IntVar(&f.verbosity, "v", 2, "")
}

// check completes the flags. Its errors name the flag and the way out.
func (f *flags) check() (err error) {
	if f.retain, err = readDuration(f.retainText); err != nil {
		return fmt.Errorf("--retain: %q is not a duration, such as 90d or 12h", f.retainText)
	}
	if f.retainBytes, err = readSize(f.amount); err != nil {
		return fmt.Errorf("--retain-bytes: %q is not a size, such as 8Gi", f.amount)
	}
	if f.retainLogBytes, err = readSize(f.logAmount); err != nil {
		return fmt.Errorf("--retain-log-bytes: %q is not a size, such as 4Gi", f.logAmount)
	}
	if err := f.findDatabase(); err != nil {
		return err
	}
	if (f.tlsCert == "") != (f.tlsKey == "") {
		return errors.New("--tls-cert and --tls-key: give both or none")
	}
	for name, address := range map[string]string{"address": f.address, "metrics-address": f.metricsAddress} {
		if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
			return fmt.Errorf("--%s: %q is not host:port or :port, such as :8443", name, address)
		}
	}
	if wrong := validation.IsQualifiedName(f.userLabel); f.userLabel != "" && len(wrong) > 0 {
		return fmt.Errorf("--user-label: %q is no key of a label: %s", f.userLabel, wrong[0])
	}
	if f.noAuth && !isLoopback(f.address) {
		return fmt.Errorf("--no-auth: everybody who reaches %s could read and write: choose a loopback address, such as 127.0.0.1:8443", f.address)
	}
	return nil
}

func (f *flags) findDatabase() error {
	switch {
	case f.databaseFile == "" && f.database == "":
		f.database = "history.db"
	case f.databaseFile == "":
	case f.database != "":
		return errors.New("--database and --database-file: give one of them")
	default:
		text, err := os.ReadFile(f.databaseFile)
		if err != nil {
			return fmt.Errorf("--database-file: %w", err)
		}
		if f.database = strings.TrimSpace(string(text)); f.database == "" {
			return fmt.Errorf("--database-file: %s is empty: write the path or the URL of the database into it", f.databaseFile)
		}
	}
	return nil
}

// isLoopback accepts addresses only: a name such as localhost may resolve to anything.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && net.ParseIP(host).IsLoopback()
}

func readDuration(text string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.ParseUint(days, 10, 16)
		return time.Duration(n) * 24 * time.Hour, err
	}
	if text == "0" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err == nil && d < 0 {
		err = strconv.ErrRange
	}
	return d, err
}

func readSize(text string) (int64, error) {
	units := map[string]int64{"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
	factor := int64(1)
	if len(text) > 2 && units[text[len(text)-2:]] > 0 {
		factor, text = units[text[len(text)-2:]], text[:len(text)-2]
	}
	n, err := strconv.ParseUint(text, 10, 62)
	if err == nil && int64(n) > (1<<62)/factor {
		err = strconv.ErrRange
	}
	return int64(n) * factor, err
}
