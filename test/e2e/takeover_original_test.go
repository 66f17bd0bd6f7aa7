package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// left is the state in which the original controller has left one Framework. It has one role, named a.
//
// Its status and its Tasks' are written as describe writes them: the state, then the differences from the default.
//
//	retried=2/1     retries, in total and counted
//	delay=600       retryDelaySec
//	code=201        the outcome, one of outcomes
//	deletionPending as in the status
//	age=10s         time since the last transition
//	object=there    the state of the ConfigMap or Pod, a presence
//
// Other words are annotations for the simulated node, as for pod().
type left struct {
	framework string // fields of the spec, in YAML, besides executionType Start and no retries; or bare
	role      string // fields of the role, in YAML, besides the policy 1 / -1 and no retries
	status    string // empty if none was stored yet
	tasks     []string
	timeout   bool // the role's status has the timeout of its spec
	older     bool // written by an older version, which gave roles and Tasks no instance UID
}

// bare is the spec of a user who leaves out everything optional.
const bare = "bare"

// leftStatus is a parsed status, of a Framework or of a Task.
type leftStatus struct {
	state                v1.State
	retried, accountable int
	delay                any // a number or nil
	outcome              string
	deletionPending      bool
	age                  time.Duration
	object               presence
	simulate             map[string]string
}

// presence describes an object that a status may have on record.
type presence string

const (
	never       presence = ""            // it was not created
	unnoted     presence = "unnoted"     // it was, but its UID is not on record
	outdated    presence = "outdated"    // as is the UID of an object of an earlier attempt
	there       presence = "there"       // on record, and exists; a Pod runs, or is pending if it is held
	succeeded   presence = "succeeded"   // a Pod that has ended, but exists
	terminating presence = "terminating" // on record, and being deleted
	lost        presence = "lost"        // on record, but gone
)

// recorded reports whether the UID is in the status.
func (p presence) recorded() bool { return p != never && p != unnoted && p != outdated }

// exists reports whether there is such an object.
func (p presence) exists() bool { return p != never && p != lost }

func parseLeft(t *testing.T, text string) leftStatus {
	t.Helper()
	fields := strings.Fields(text)
	out := leftStatus{state: v1.State(fields[0]), simulate: map[string]string{}}
	for _, field := range fields[1:] {
		key, value, _ := strings.Cut(field, "=")
		if err := out.set(key, value); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
	return out
}

func (l *leftStatus) set(key, value string) (err error) {
	switch key {
	case "retried":
		_, err = fmt.Sscanf(value, "%d/%d", &l.retried, &l.accountable)
	case "delay":
		l.delay, err = strconv.ParseInt(value, 10, 64)
	case "code":
		if l.outcome = value; outcomes[value] == "" {
			err = fmt.Errorf("no outcome %s", value)
		}
	case "deletionPending":
		l.deletionPending = true
	case "age":
		l.age, err = time.ParseDuration(value)
	case "object":
		l.object = presence(value)
	default:
		l.simulate[key] = value
	}
	return err
}

// hasRun reports whether the status has a runTime.
func (l leftStatus) hasRun() bool { return l.state != v1.AttemptPreparing && l.object.recorded() }

// outcomes are completion statuses as the original writes them, by their code. The attributes of one are null.
var outcomes = map[string]string{
	"0": `{code: 0, phrase: Succeeded, type: {name: Succeeded, attributes: []}, diagnostics: Pod succeeded,
		pod: {containers: [{name: init, reason: Completed, code: 0}, {name: c, reason: Completed, code: 0}]}}`,
	"1": `{code: 1, phrase: ContainerUnrecognizedFailed, type: {name: Failed, attributes: []},
		diagnostics: 'Pod failed: PodPattern unmatched: {"containers":[{"name":"c","reason":"Error","code":1}]}',
		pod: {containers: [{name: c, reason: Error, code: 1}]}}`,
	"201": `{code: 201, phrase: ContainerTransientConflictFailed, type: {name: Failed, attributes: [Transient, Conflict]},
		diagnostics: 'Pod failed: PodPattern matched: {"containers":[{"name":"c","code":201}]}',
		pod: {containers: [{name: c, reason: Error, code: 201}]}}`,
	"-1201": `{code: -1201, phrase: ContainerDockerCreationError, type: {name: Failed, attributes: null},
		diagnostics: 'Pod failed: PodPattern matched: {"containers":[{"name":"c","reason":"ContainerCannotRun","code":125}]}',
		pod: {containers: [{name: c, reason: ContainerCannotRun, code: 125}]}}`,
	"-100": `{code: -100, phrase: ConfigMapExternalDeleted, type: {name: Failed, attributes: [Transient]},
		diagnostics: ConfigMap is being deleted by others}`,
	"-101": `{code: -101, phrase: PodExternalDeleted, type: {name: Failed, attributes: [Transient]},
		diagnostics: Pod is being deleted by others}`,
	"-210": `{code: -210, phrase: StopFrameworkRequested, type: {name: Failed, attributes: [Permanent]},
		diagnostics: User has requested to stop the Framework}`,
	"-220": `{code: -220, phrase: FrameworkAttemptCompletion, type: {name: Failed, attributes: [Permanent]},
		diagnostics: Stop to complete current FrameworkAttempt}`,
	"-230": `{code: -230, phrase: DeleteTaskRequested, type: {name: Failed, attributes: [Permanent]},
		diagnostics: User has requested to delete the Task by ScaleDown}`,
}
