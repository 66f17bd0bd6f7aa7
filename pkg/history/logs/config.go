package logs

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Values of onSuccess.
const (
	successNone = "none"
	successTail = "tail"
)

// mostKept limits headBytes and tailBytes, because both are in memory while a log is read.
const mostKept = 64 << 20

// Config is the choice of the operator.
type Config struct {
	// Limits of each log of a Pod that has not succeeded.
	Limits Limits
	// OnSuccess keeps the tail of Pods that succeeded, too.
	OnSuccess bool
	// Roles and Containers to keep logs of; all if empty.
	Roles, Containers []string
	Redaction         Redaction
	// EarlyHead reads the beginnings of running containers, before the kubelet rotates their logs.
	EarlyHead bool
}

// file is the form of the configuration.
type file struct {
	HeadBytes  *resource.Quantity `json:"headBytes"`
	TailBytes  *resource.Quantity `json:"tailBytes"`
	OnSuccess  string             `json:"onSuccess"`
	Roles      []string           `json:"roles"`
	Containers []string           `json:"containers"`
	Redact     []string           `json:"redact"`
	EarlyHead  bool               `json:"earlyHead"`
}

// ParseConfig reads a configuration in YAML. Its errors name the field.
func ParseConfig(text []byte) (c Config, err error) {
	f := file{OnSuccess: successNone}
	if err := yaml.UnmarshalStrict(text, &f); err != nil {
		return c, err
	}
	c = Config{OnSuccess: f.OnSuccess == successTail, Roles: f.Roles, Containers: f.Containers, EarlyHead: f.EarlyHead}
	if f.OnSuccess != successNone && f.OnSuccess != successTail {
		return c, fmt.Errorf("onSuccess: %q is neither %s nor %s", f.OnSuccess, successNone, successTail)
	}
	if c.Limits.Head, err = size(f.HeadBytes, 64<<10); err != nil {
		return c, fmt.Errorf("headBytes: %w", err)
	}
	if c.Limits.Tail, err = size(f.TailBytes, 1<<20); err != nil {
		return c, fmt.Errorf("tailBytes: %w", err)
	}
	switch {
	case c.Limits == Limits{}:
		return c, errors.New("headBytes and tailBytes are 0, so nothing would be kept: leave the configuration out")
	case c.EarlyHead && c.Limits.Head == 0:
		return c, errors.New("earlyHead: headBytes is 0")
	}
	if c.Redaction, err = NewRedaction(f.Redact); err != nil {
		return c, fmt.Errorf("redact%w", err)
	}
	return c, nil
}

func size(q *resource.Quantity, or int64) (int64, error) {
	if q == nil {
		return or, nil
	}
	if n := q.Value(); q.Sign() >= 0 && n <= mostKept {
		return n, nil
	}
	return 0, fmt.Errorf("%s is not within 0 and 64Mi", q)
}

// Plan is the choice for the logs of one Pod.
type Plan struct {
	Limits     Limits
	Containers []*pluginpb.LoggedContainer // empty: nothing
}

// Plan applies the configuration to a Pod. The wishes of a Framework can only narrow it.
func (c Config) Plan(r *pluginpb.CollectLogsRequest) (p Plan) {
	wishes := r.GetWishes()
	p.Limits = c.Limits
	if r.GetSucceeded() {
		p.Limits.Head = 0
	}
	if wishes != nil && wishes.HeadBytes != nil {
		p.Limits.Head = min(p.Limits.Head, max(wishes.GetHeadBytes(), 0))
	}
	if wishes != nil && wishes.TailBytes != nil {
		p.Limits.Tail = min(p.Limits.Tail, max(wishes.GetTailBytes(), 0))
	}
	switch {
	case wishes.GetNone(), r.GetSucceeded() && !c.OnSuccess, p.Limits == Limits{}, !c.Admits(r.GetTaskRole(), ""):
		return p
	}
	for _, container := range r.GetContainers() {
		if c.Admits(r.GetTaskRole(), container.GetName()) && admits(wishes.GetContainers(), container.GetName()) {
			p.Containers = append(p.Containers, container)
		}
	}
	return p
}

// Admits reports whether logs of a container may be kept; of any container of the role if it is empty.
func (c Config) Admits(role, container string) bool {
	return admits(c.Roles, role) && (container == "" || admits(c.Containers, container))
}

func admits(names []string, name string) bool { return len(names) == 0 || slices.Contains(names, name) }
