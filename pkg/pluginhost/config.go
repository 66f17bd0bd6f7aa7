package pluginhost

import (
	"encoding/hex"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// FailurePolicy determines what happens without the answer of a plugin.
type FailurePolicy string

const (
	// Wait until it answers, however long that takes.
	Wait FailurePolicy = "Wait"
	// Fallback continues as if the plugin had no opinion.
	Fallback FailurePolicy = "Fallback"
	// Drop continues without records that a HistorySink has not acknowledged in time.
	Drop FailurePolicy = "Drop"
)

// policiesOf returns the failure policies that a kind takes.
func policiesOf(k plugin.Kind) []FailurePolicy {
	if k == plugin.KindHistorySink {
		return []FailurePolicy{Wait, Drop}
	}
	return []FailurePolicy{Wait, Fallback}
}

// DefaultTimeout is the time for an answer if the configuration does not set it.
const DefaultTimeout = 5 * time.Second

// Config is one plugin of the configuration.
type Config struct {
	// Unique among the plugins; recorded with its decisions.
	Name string
	Kind plugin.Kind
	// A bare name is a file in the host's directory for plugins; anything else must be an absolute path.
	Command string
	Args    []string
	// The complete environment of the process, except for go-plugin's variables. Nothing is inherited, not even PATH.
	Env map[string]string
	// Further files of the plugin, by absolute path, with the required SHA-256 in hexadecimal; an empty one allows any.
	// For an interpreted plugin, the command is only the interpreter.
	Files map[string]string
	// Required SHA-256 of the command, in hexadecimal; empty allows any.
	SHA256 string
	// Time for one answer; 0 means DefaultTimeout.
	Timeout time.Duration
	// Bytes that it may use together with its children; 0 means DefaultMemoryLimit. Only enforced on Linux.
	MemoryLimit int64
	// Empty means the default of the kind; see Policy. The host only keeps it for the caller.
	FailurePolicy FailurePolicy
	// For the plugin, in the types of JSON; nil if there are none.
	Parameters map[string]any
	// It is asked as others are, and never decides. Only for a FailureClassifier; the host only keeps it for the caller.
	Shadow bool
	// The parameters that Frameworks may set, at the top level. Nil leaves it to the plugin; empty allows none. Nil for a
	// HistorySink, as its parameters are the operator's alone.
	FrameworkParameters []string
}

// Policy determines what happens without the plugin's answer. By default, hints are waited for, as Pods cannot be
// changed later, and so is a completion policy that the Framework has chosen by name. Records for a sink are dropped, so
// that no Framework depends on its history. Otherwise the built-in answer is used.
func (c Config) Policy(chosen bool) FailurePolicy {
	switch {
	case c.FailurePolicy != "":
		return c.FailurePolicy
	case c.Kind == plugin.KindSchedulerHints || c.Kind == plugin.KindCompletionPolicy && chosen:
		return Wait
	case c.Kind == plugin.KindHistorySink:
		return Drop
	default:
		return Fallback
	}
}

func (c Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

// parameters must be valid; see Validate.
func (c Config) parameters() *structpb.Struct {
	if c.Parameters == nil {
		return nil
	}
	p, err := structpb.NewStruct(c.Parameters)
	if err != nil {
		return nil
	}
	return p
}

// Validate returns the mistakes in the plugins of a configuration; nil if there are none. Each is one sentence that
// begins with its key, such as "plugins[0].kind". It does not read files: a plugin that is missing on this machine is a
// fault of that plugin, and no reason not to start.
func Validate(key string, configs []Config) []string {
	c := checker{names: map[string]string{}}
	for i, config := range configs {
		c.key = fmt.Sprintf("%s[%d]", key, i)
		c.config(config)
	}
	return c.mistakes
}

// Limits of the time for an answer. A much longer time would hold up Frameworks and look like a hang.
const (
	minTimeout = 10 * time.Millisecond
	maxTimeout = 5 * time.Minute
)

type checker struct {
	names    map[string]string
	key      string
	mistakes []string
}

func (c *checker) mistake(key, format string, args ...any) {
	c.mistakes = append(c.mistakes, c.key+"."+key+": "+fmt.Sprintf(format, args...))
}

func (c *checker) config(p Config) {
	c.name(p.Name)
	if !slices.Contains(plugin.Kinds(), p.Kind) {
		c.mistake("kind", "must be %s, %s, %s or %s, but is %q",
			plugin.KindFailureClassifier, plugin.KindCompletionPolicy, plugin.KindSchedulerHints, plugin.KindHistorySink, p.Kind)
	}
	c.command(p.Command)
	c.env(p.Env)
	c.files(p.Files)
	if p.SHA256 != "" && !isSHA256(p.SHA256) {
		c.mistake("sha256", "must be 64 hexadecimal digits, but is %q", p.SHA256)
	}
	if p.Timeout != 0 && (p.Timeout < minTimeout || p.Timeout > maxTimeout) {
		c.mistake("timeout", "must be from %s to %s, but is %s; the default is %s",
			minTimeout, maxTimeout, p.Timeout, DefaultTimeout)
	}
	if p.MemoryLimit != 0 && p.MemoryLimit < minMemoryLimit {
		c.mistake("memoryLimit", "must be at least %s, but is %s; the default is %s",
			inBytes(minMemoryLimit), inBytes(p.MemoryLimit), inBytes(DefaultMemoryLimit))
	}
	if policies := policiesOf(p.Kind); p.FailurePolicy != "" && !slices.Contains(policies, p.FailurePolicy) {
		c.mistake("failurePolicy", "must be %s or %s for kind %s, but is %q", policies[0], policies[1], p.Kind, p.FailurePolicy)
	}
	if _, err := structpb.NewStruct(p.Parameters); err != nil {
		c.mistake("parameters", "must be valid as JSON: %v", err)
	}
	if p.Kind != plugin.KindFailureClassifier && p.Shadow {
		c.mistake("shadow", "must be absent for kind %s: only a %s can be asked without deciding", p.Kind, plugin.KindFailureClassifier)
	}
	if p.Kind == plugin.KindHistorySink && p.FrameworkParameters != nil {
		c.mistake("frameworkParameters", "must be absent for kind %s, as Frameworks set no parameters of it", p.Kind)
	}
	for i, key := range p.FrameworkParameters {
		if key == "" {
			c.mistake(fmt.Sprintf("frameworkParameters[%d]", i), "must not be empty")
		}
	}
}

func (c *checker) name(name string) {
	switch first, used := c.names[name]; {
	case name == "":
		c.mistake("name", "is missing")
	case len(name) > 63 || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
		c.mistake("name", "must be at most 63 lower case letters, digits and '-', but is %q", name)
	case used:
		c.mistake("name", "%q is already the name of %s", name, first)
	default:
		c.names[name] = c.key
	}
}

func (c *checker) command(command string) {
	switch {
	case command == "":
		c.mistake("command", "is missing")
	case !filepath.IsAbs(command) && filepath.Base(command) != command || command == "." || command == "..":
		c.mistake("command", "must be the bare name of a file in the directory plugins beside the controller, "+
			"or an absolute path, but is %q", command)
	}
}

func (c *checker) env(env map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(env)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(env[name], "\x00"):
			c.mistake("env", "%q is not a valid environment variable", name)
		case strings.HasPrefix(name, "PLUGIN_") || name == plugin.Handshake.MagicCookieKey:
			c.mistake("env", "%s is set by the controller", name)
		}
	}
}

func (c *checker) files(files map[string]string) {
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if !filepath.IsAbs(path) {
			c.mistake("files", "must name absolute paths, but has %q", path)
		}
		if sum := files[path]; sum != "" && !isSHA256(sum) {
			c.mistake("files", "the checksum of %s must be 64 hexadecimal digits, but is %q", path, sum)
		}
	}
}

func isSHA256(text string) bool {
	sum, err := hex.DecodeString(text)
	return err == nil && len(sum) == 32
}
