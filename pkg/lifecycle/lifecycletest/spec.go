package lifecycletest

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// given: "given [conflict=60/60 creation=5m retention=1h tasks=4] ...": a new cluster with a Framework, after which
// everything happens until nothing does any more, and nothing is told of it.
func (s *Story) given(args []string, input string) error {
	s.begin()
	args, err := s.configure(args)
	if err != nil {
		return err
	}
	if err := s.createFramework(args, input); err != nil {
		return err
	}
	s.settle()
	s.chain.end(&s.out)
	s.out.Reset()
	return nil
}

// createFramework: "framework [exec=Create] [suspend] [max=1] [fancy] [backoff=10/60] [ttl=60] [place=60] [gang=2]"
// with a line per role: "a x2 [failed=1] [succeeded=-1] [max=1] [fancy] [backoff=10/60] [timeout=600] [gang=1] [role=2]". What
// is not said has the default of the CRD.
func (s *Story) createFramework(args []string, input string) error {
	spec := &v1.FrameworkSpec{ExecutionType: v1.ExecutionStart}
	if err := editSpec(spec, args, input); err != nil {
		return err
	}
	o := object{name: theFramework, framework: frameworkFields{generation: 1, spec: spec}}
	_, _ = s.server.create(o) // or there is one already
	return nil
}

// editFramework: as createFramework; what is not said stays, and "-a" removes a role.
func (s *Story) editFramework(args []string, input string) error {
	framework := s.server.objects[theFramework]
	if framework == nil {
		return nil
	}
	spec := framework.framework.spec.DeepCopy()
	if err := editSpec(spec, args, input); err != nil {
		return err
	}
	s.server.update(theFramework, func(o *object) { o.framework.spec, o.framework.generation = spec, o.framework.generation+1 })
	return nil
}

func editSpec(spec *v1.FrameworkSpec, args []string, input string) error {
	if err := parseArgs(args, frameworkArgs(spec)); err != nil {
		return err
	}
	for line := range strings.Lines(input) {
		if err := editRole(spec, strings.Fields(line)); err != nil {
			return err
		}
	}
	return nil
}

func editRole(spec *v1.FrameworkSpec, words []string) error {
	if removed, ok := strings.CutPrefix(words[0], "-"); ok {
		spec.TaskRoles = slices.DeleteFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == removed })
		return nil
	}
	i := slices.IndexFunc(spec.TaskRoles, func(r v1.TaskRoleSpec) bool { return r.Name == words[0] })
	if i < 0 {
		i = len(spec.TaskRoles)
		spec.TaskRoles = append(spec.TaskRoles, v1.TaskRoleSpec{
			Name: words[0], TaskNumber: 1,
			FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1},
		})
	}
	return parseArgs(words[1:], roleArgs(spec, &spec.TaskRoles[i]))
}

// parser reads the value of one argument into a spec.
type parser func(value string) error

func frameworkArgs(spec *v1.FrameworkSpec) map[string]parser {
	args := retryArgs(&spec.RetryPolicy)
	args["exec"] = func(value string) error { spec.ExecutionType = v1.ExecutionType(value); return nil }
	args["suspend"] = func(value string) error { suspend := value != "no"; spec.Suspend = &suspend; return nil }
	args["place"] = func(value string) error { return parseInto(value, &scheduling(spec).TimeoutSec) }
	args["gang"] = func(value string) error { return parseInto(value, &gang(spec).MinTasks) }
	args["queue"] = func(value string) error { scheduling(spec).Queue = value; return nil }
	args["ttl"] = func(value string) error {
		ttl, err := parseInt32(value)
		spec.TTLSecondsAfterFinished = &ttl
		return err
	}
	args["after"] = func(value string) error { return parseTTLAfter(value, spec) }
	args["deadline"] = func(value string) error { return parseSeconds(value, &spec.ActiveDeadlineSeconds) }
	args["volume"] = func(value string) error { return parseVolume(value, spec) }
	return args
}

func roleArgs(spec *v1.FrameworkSpec, role *v1.TaskRoleSpec) map[string]parser {
	args := retryArgs(&role.Task.RetryPolicy)
	args["gang"] = func(value string) error {
		least, err := parseInt32(value)
		g := gang(spec)
		g.PerRole = append(g.PerRole, v1.RoleGangSpec{Role: role.Name, MinTasks: least})
		return err
	}
	args["role"] = func(value string) error { return parseRoleRetry(value, role) }
	args["after"] = func(value string) error { return parseAfter(value, role) }
	args["start"] = func(value string) error { return parseStart(value, &role.Task.StartDeadline) }
	args["logs"] = func(value string) error {
		role.Task.Logs = &v1.TaskLogsSpec{Policy: v1.LogPolicy(value)}
		return nil
	}
	args["deadline"] = func(value string) error { return parseSeconds(value, &role.Task.ActiveDeadlineSeconds) }
	args["mem"] = func(value string) error { return parseMemory(value, role) }
	args["x"] = intoInt32(&role.TaskNumber)
	args["parallel"] = func(value string) error { return parseInto(value, &role.Parallelism) }
	args["items"] = func(value string) error { return parseItems(value, role) }
	args["failed"] = intoInt32(&role.FrameworkAttemptCompletionPolicy.MinFailedTaskCount)
	args["succeeded"] = intoInt32(&role.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount)
	args["timeout"] = func(value string) error {
		n, err := parseInt32(value)
		timeout := int64(n)
		role.Task.PodGracefulDeletionTimeoutSec = &timeout
		if value == "null" {
			role.Task.PodGracefulDeletionTimeoutSec, err = nil, nil
		}
		return err
	}
	return args
}

// parseRoleRetry reads how often the role may start again, or "no".
func parseRoleRetry(value string, role *v1.TaskRoleSpec) error {
	role.RetryPolicy = nil
	if value == "no" {
		return nil
	}
	role.RetryPolicy = &v1.RoleRetryPolicySpec{}
	return intoInt32(&role.RetryPolicy.MaxRetryCount)(value)
}

// parseAfter reads role, role/when or framework:name/when, which is one more that the role starts after, or "no" for none at all.
func parseAfter(value string, role *v1.TaskRoleSpec) error {
	if value == "no" {
		role.StartAfter = nil
		return nil
	}
	name, when, _ := strings.Cut(value, "/")
	more := v1.StartAfterSpec{Role: name, When: v1.StartWhen(when)}
	if other, ok := strings.CutPrefix(name, "framework:"); ok {
		more.Role, more.Framework = "", other
	}
	role.StartAfter = slices.DeleteFunc(role.StartAfter, func(s v1.StartAfterSpec) bool { return s.Role == more.Role && s.Framework == more.Framework })
	role.StartAfter = append(role.StartAfter, more)
	return nil
}

// parseStart reads the four seconds of a startDeadline, "10/20/30/40", in the order in which they stand in the spec, or "no".
func parseStart(value string, field **v1.StartDeadlineSpec) error {
	if value == "no" {
		*field = nil
		return nil
	}
	d := &v1.StartDeadlineSpec{}
	_, err := fmt.Sscanf(value, "%d/%d/%d/%d", &d.UnscheduledSec, &d.ImagePullSec, &d.ContainerCreateSec, &d.NotRunningSec)
	*field = d
	return err
}

func scheduling(spec *v1.FrameworkSpec) *v1.SchedulingSpec {
	if spec.Scheduling == nil {
		spec.Scheduling = &v1.SchedulingSpec{}
	}
	return spec.Scheduling
}

func gang(spec *v1.FrameworkSpec) *v1.GangSpec {
	s := scheduling(spec)
	if s.Gang == nil {
		s.Gang = &v1.GangSpec{}
	}
	return s.Gang
}

// parseInto reads a number, or "no" for none.
func parseInto(value string, field **int32) error {
	if value == "no" {
		*field = nil
		return nil
	}
	n, err := parseInt32(value)
	*field = &n
	return err
}

// parseSeconds reads seconds, or "no" for no limit.
func parseSeconds(value string, field **int64) error {
	var limit *int32
	if err := parseInto(value, &limit); err != nil || limit == nil {
		*field = nil
		return err
	}
	seconds := int64(*limit)
	*field = &seconds
	return nil
}

// parseTTLAfter reads the seconds after success and after failure, "10/20", either of which may be "no".
func parseTTLAfter(value string, spec *v1.FrameworkSpec) error {
	succeeded, failed, _ := strings.Cut(value, "/")
	spec.TTLSecondsAfter = &v1.TTLSecondsAfterSpec{}
	if err := parseInto(succeeded, &spec.TTLSecondsAfter.Succeeded); err != nil {
		return err
	}
	return parseInto(failed, &spec.TTLSecondsAfter.Failed)
}

func retryArgs(policy *v1.RetryPolicySpec) map[string]parser {
	return map[string]parser{
		"restart": func(value string) error { policy.Restart = v1.RestartScope(value); return nil },
		"window":  func(value string) error { return parseWindow(value, policy) },
		"budget":  func(value string) error { return parseBudget(value, policy) },
		"avoid":   func(value string) error { return parseAvoid(value, policy) },
		"oom":     func(value string) error { return parseOnOOM(value, policy) },
		"max":     intoInt32(&policy.MaxRetryCount),
		"fancy":   func(value string) error { policy.FancyRetryPolicy = value != "no"; return nil },
		"backoff": func(value string) error {
			policy.Backoff = &v1.RetryBackoffSpec{}
			_, err := fmt.Sscanf(value, "%d/%d", &policy.Backoff.InitialDelaySec, &policy.Backoff.MaxDelaySec)
			return err
		},
	}
}

// parseWindow reads failures/seconds, or "no".
func parseWindow(value string, policy *v1.RetryPolicySpec) error {
	policy.Window = nil
	if value == "no" {
		return nil
	}
	policy.Window = &v1.RetryWindowSpec{}
	_, err := fmt.Sscanf(value, "%d/%d", &policy.Window.Failures, &policy.Window.WithinSec)
	return err
}

// parseBudget reads cause=value/retries, which is one more budget, or "no" for none at all.
func parseBudget(value string, policy *v1.RetryPolicySpec) error {
	if value == "no" {
		policy.Budgets = nil
		return nil
	}
	cause, retries, _ := strings.Cut(value, "/")
	kind, of, _ := strings.Cut(cause, "=")
	most, err := parseInt32(retries)
	budget := v1.RetryBudgetSpec{MaxRetryCount: most}
	switch kind {
	case "code":
		var code int32
		code, err = parseInt32(of)
		budget.Code = &code
	case "phrase":
		budget.Phrase = of
	case "attribute":
		budget.Attribute = v1.CompletionTypeAttribute(of)
	default:
		return fmt.Errorf("%q is not code, phrase or attribute", kind)
	}
	policy.Budgets = append(policy.Budgets, budget)
	return err
}

func intoInt32(field *int32) parser {
	return func(value string) (err error) {
		*field, err = parseInt32(value)
		return err
	}
}

// parseArgs reads words of the form key=value, key, or x3.
func parseArgs(words []string, args map[string]parser) error {
	for _, word := range words {
		key, value, _ := strings.Cut(word, "=")
		if number, ok := strings.CutPrefix(word, "x"); ok {
			key, value = "x", number
		}
		parse, ok := args[key]
		if !ok {
			return fmt.Errorf("%q is not known", key)
		}
		if err := parse(value); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
	}
	return nil
}
