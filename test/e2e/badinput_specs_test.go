package e2e

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	aRole       = "spec.taskRoles[0]."
	aPolicy     = aRole + "frameworkAttemptCompletionPolicy."
	aTask       = aRole + "task."
	aVolume     = "spec.volumes[0]."
	beyondInt32 = "should be less than or equal to 2147483647"
	badName     = "must be 1 to 63 lower-case letters and digits"
	unsupported = `supported values: "Create", "Start", "Stop"`
	wholeNumber = "must be of type integer" // for values that are no numbers
	wholeInt32  = "must be of type int32"
)

// badSpecs are refused with HTTP 422 and a message that names the field.
var badSpecs = []struct {
	did, name, fields string // the Framework is called demo if it has no name
	field, says       string
}{
	{"a name with a hyphen", "a-b", `spec: {}`, "metadata.name", badName},
	{"a name with a dot", "a.b", `spec: {}`, "metadata.name", badName},
	{"a name in upper case", "Demo", `spec: {}`, "metadata.name", badName},
	{"a name with an underscore", "a_b", `spec: {}`, "metadata.name", badName},
	{"a name that is not ASCII", "größe", `spec: {}`, "metadata.name", badName},
	{"a name of 64 letters", letters(64), `spec: {}`, "metadata.name", badName},
	{"a name of 254 letters", letters(254), `spec: {}`, "metadata.name", "no more than 253 characters"},

	{"no spec", "", `{}`, "spec", "Required value"},
	{"a null spec", "", `spec: null`, "spec", "Required value"},
	{"a spec that is a text", "", `spec: x`, "spec", "must be of type object"},
	{"a description that is a number", "", `spec: {description: 1}`, "spec.description", "must be of type string"},
	{"an executionType misspelt", "", `spec: {executionType: Strat}`, "spec.executionType", unsupported},
	{"an executionType in lower case", "", `spec: {executionType: stop}`, "spec.executionType", unsupported},
	{"an empty executionType", "", `spec: {executionType: ""}`, "spec.executionType", unsupported},
	{"an executionType that is no text", "", `spec: {executionType: true}`, "spec.executionType", "must be of type string"},
	{"a negative time to live", "", `spec: {ttlSecondsAfterFinished: -1}`, "spec.ttlSecondsAfterFinished", "greater than or equal to 0"},
	{"a time to live beyond int32", "", `spec: {ttlSecondsAfterFinished: 3000000000}`, "spec.ttlSecondsAfterFinished", beyondInt32},

	{"a negative time to live after success", "", `spec: {ttlSecondsAfter: {succeeded: -1}}`, "spec.ttlSecondsAfter.succeeded", "greater than or equal to 0"},
	{"a time to live after failure beyond int32", "", `spec: {ttlSecondsAfter: {failed: 3000000000}}`, "spec.ttlSecondsAfter.failed", beyondInt32},
	{"a volume without a name", "", inVolume(`name: null`), aVolume + "name", "Required value"},
	{"a volume name with a hyphen", "", inVolume(`name: my-data`), aVolume + "name", "should match"},
	{"a volume name that begins with a digit", "", inVolume(`name: 0data`), aVolume + "name", "should match"},
	{"a volume without a mountPath", "", inVolume(`mountPath: null`), aVolume + "mountPath", "Required value"},
	{"a relative mountPath", "", inVolume(`mountPath: data`), aVolume + "mountPath", "should match"},
	{"a mountPath that is the root", "", inVolume(`mountPath: /`), aVolume + "mountPath", "should match"},
	{"a volume per planet", "", inVolume(`per: Planet`), aVolume + "per", `supported values: "Framework", "Role", "Task"`},
	{"a retention for a while", "", inVolume(`retention: Sometimes`), aVolume + "retention", `supported values: "Delete", "Retain"`},
	{"a volume without a claim", "", inVolume(`claim: null`), aVolume + "claim", "Required value"},
	{"a claim that is a text", "", inVolume(`claim: mine`), aVolume + "claim", "must be of type object"},
	{"a volume of a role that is not there", "", inVolume(`role: b`), "spec.volumes", "names a role that is not in taskRoles"},
	{"an empty name of a container with a volume", "", inVolume(`containers: [""]`), aVolume + "containers[0]", "at least 1 chars"},
	{"two volumes of one name", "", `spec: {volumes: [{name: data, mountPath: /a, claim: {}}, {name: data, mountPath: /b, claim: {}}]}`, "spec.volumes[1]", "Duplicate value"},
	{"two volumes at one mountPath", "", `spec: {volumes: [{name: a, mountPath: /data, claim: {}}, {name: b, mountPath: /data, claim: {}}]}`, "spec.volumes", "have the same mountPath"},
	{"a volume where the keys are", "", `spec: {ssh: {mountPath: /data}, volumes: [{name: a, mountPath: /data, claim: {}}]}`, "spec.volumes", "a volume has the mountPath of spec.ssh"},
	{"a deadline of zero", "", `spec: {activeDeadlineSeconds: 0}`, "spec.activeDeadlineSeconds", "greater than or equal to 1"},
	{"a deadline in words", "", `spec: {activeDeadlineSeconds: 1h}`, "spec.activeDeadlineSeconds", wholeNumber},
	{"a deadline beyond the last second", "", `spec: {activeDeadlineSeconds: 2147483648}`, "spec.activeDeadlineSeconds", "less than or equal to 2147483647"},
	{"a deadline of a Task of zero", "", `spec: {taskRoles: [{name: a, task: {activeDeadlineSeconds: 0}}]}`, "spec.taskRoles[0].task.activeDeadlineSeconds", "greater than or equal to 1"},

	{"maxRetryCount -3", "", `spec: {retryPolicy: {maxRetryCount: -3}}`, "spec.retryPolicy.maxRetryCount", "greater than or equal to -2"},
	{"maxRetryCount beyond int32", "", `spec: {retryPolicy: {maxRetryCount: 3000000000}}`, "spec.retryPolicy.maxRetryCount", beyondInt32},
	{"maxRetryCount in quotes", "", `spec: {retryPolicy: {maxRetryCount: "1"}}`, "spec.retryPolicy.maxRetryCount", wholeNumber},
	{"fancyRetryPolicy in quotes", "", `spec: {retryPolicy: {fancyRetryPolicy: "true"}}`, "spec.retryPolicy.fancyRetryPolicy", "must be of type boolean"},
	{"a retryPolicy that is a number", "", `spec: {retryPolicy: 3}`, "spec.retryPolicy", "must be of type object"},
	{"a negative first delay", "", `spec: {retryPolicy: {backoff: {initialDelaySec: -1}}}`, "spec.retryPolicy.backoff.initialDelaySec", "greater than or equal to 0"},
	{"a first delay of more than a day", "", `spec: {retryPolicy: {backoff: {initialDelaySec: 86401}}}`, "spec.retryPolicy.backoff.initialDelaySec", "less than or equal to 86400"},
	{"a negative longest delay", "", `spec: {retryPolicy: {backoff: {maxDelaySec: -1}}}`, "spec.retryPolicy.backoff.maxDelaySec", "greater than or equal to 0"},
	{"a longest delay beyond int32", "", `spec: {retryPolicy: {backoff: {maxDelaySec: 3000000000}}}`, "spec.retryPolicy.backoff.maxDelaySec", "less than or equal to 86400"},

	{"avoidNodes in another mode", "", `spec: {retryPolicy: {avoidNodes: {mode: Never}}}`, "spec.retryPolicy.avoidNodes.mode", `supported values: "Prefer", "Require"`},
	{"avoidNodes for no time", "", `spec: {retryPolicy: {avoidNodes: {forSec: 0}}}`, "spec.retryPolicy.avoidNodes.forSec", "greater than or equal to 1"},
	{"avoidNodes for less than no time", "", `spec: {retryPolicy: {avoidNodes: {forSec: -5}}}`, "spec.retryPolicy.avoidNodes.forSec", "greater than or equal to 1"},
	{"avoidNodes for ever", "", `spec: {retryPolicy: {avoidNodes: {forSec: 3000000000}}}`, "spec.retryPolicy.avoidNodes.forSec", beyondInt32},
	{"no avoided nodes", "", `spec: {retryPolicy: {avoidNodes: {maxNodes: 0}}}`, "spec.retryPolicy.avoidNodes.maxNodes", "greater than or equal to 1"},
	{"101 avoided nodes", "", `spec: {retryPolicy: {avoidNodes: {maxNodes: 101}}}`, "spec.retryPolicy.avoidNodes.maxNodes", "less than or equal to 100"},
	{"avoidNodes that is a list", "", `spec: {retryPolicy: {avoidNodes: [node-1]}}`, "spec.retryPolicy.avoidNodes", "must be of type object"},

	{"10,001 parameters for a plugin", "", `spec: {plugins: [{name: p, parameters: {` + numberedKeys(10001) + `}}]}`, "spec.plugins[0].parameters", "must have at most 10000 items"},

	{"suspend in quotes", "", `spec: {suspend: "true"}`, "spec.suspend", "must be of type boolean"},
	{"managedBy that names no domain", "", `spec: {managedBy: me}`, "spec.managedBy", "should match"},
	{"managedBy of 64 letters", "", `spec: {managedBy: a/` + letters(62) + `}`, "spec.managedBy", "Too long"},
	{"a gang of no Task", "", `spec: {scheduling: {gang: {minTasks: 0}}}`, "spec.scheduling.gang.minTasks", "greater than or equal to 1"},
	{"a gang of 20,001 Tasks", "", `spec: {scheduling: {gang: {minTasks: 20001}}}`, "spec.scheduling.gang.minTasks", "less than or equal to 20000"},
	{"a gang of a role without a number", "", `spec: {scheduling: {gang: {perRole: [{role: a}]}}}`, "spec.scheduling.gang.perRole[0].minTasks", "Required value"},
	{"a gang of a role twice", "", `spec: {scheduling: {gang: {perRole: [{role: a, minTasks: 1}, {role: a, minTasks: 2}]}}}`, "spec.scheduling.gang.perRole[1]", "Duplicate value"},
	{"a topology misspelt", "", `spec: {scheduling: {topology: [{key: zone, mode: required}]}}`, "spec.scheduling.topology[0].mode", `supported values: "Required", "Preferred"`},
	{"a topology without a key", "", `spec: {scheduling: {topology: [{mode: Required}]}}`, "spec.scheduling.topology[0].key", "Required value"},
	{"a topology twice", "", `spec: {scheduling: {topology: [{key: zone, mode: Required}, {key: zone, mode: Preferred}]}}`, "spec.scheduling.topology[1]", "Duplicate value"},
	{"no time to be placed", "", `spec: {scheduling: {timeoutSec: 0}}`, "spec.scheduling.timeoutSec", "greater than or equal to 1"},
	{"a queue that is a number", "", `spec: {scheduling: {queue: 5}}`, "spec.scheduling.queue", "must be of type string"},

	{"roles that are not a list", "", `spec: {taskRoles: many}`, "spec.taskRoles", "must be of type array"},
	{"a role that is a text", "", `spec: {taskRoles: [a]}`, "spec.taskRoles[0]", "must be of type object"},
	{"a null role", "", `spec: {taskRoles: [null]}`, "spec.taskRoles[0]", "must be of type object"},
	{"201 roles", "", rolesNumbered(201), "spec.taskRoles", "must have at most 200 items"},
	{"duplicate roles", "", `spec: {taskRoles: [{name: a}, {name: b}, {name: a}]}`, "spec.taskRoles[2]", `Duplicate value: {"name":"a"}`},
	{"a role without a name", "", `spec: {taskRoles: [{}]}`, aRole + "name", "Required value"},
	{"a role with a null name", "", `spec: {taskRoles: [{name: null}]}`, aRole + "name", "Required value"},
	{"a role with an empty name", "", `spec: {taskRoles: [{name: ""}]}`, aRole + "name", "should match"},
	{"a role name in upper case", "", `spec: {taskRoles: [{name: Worker}]}`, aRole + "name", "should match"},
	{"a role name with a hyphen", "", `spec: {taskRoles: [{name: a-b}]}`, aRole + "name", "should match"},
	{"a role name of 64 letters", "", `spec: {taskRoles: [{name: ` + letters(64) + `}]}`, aRole + "name", "should match"},
	{"a role name that is a number", "", `spec: {taskRoles: [{name: 5}]}`, aRole + "name", "must be of type string"},

	{"taskNumber -1", "", inRole(`taskNumber: -1`), aRole + "taskNumber", "greater than or equal to 0"},
	{"taskNumber 10001", "", inRole(`taskNumber: 10001`), aRole + "taskNumber", "less than or equal to 10000"},
	{"taskNumber 3000000000", "", inRole(`taskNumber: 3000000000`), aRole + "taskNumber", "less than or equal to 10000"},
	{"taskNumber beyond int64", "", inRole(`taskNumber: 99999999999999999999`), aRole + "taskNumber", wholeInt32},
	{"taskNumber as a text", "", inRole(`taskNumber: many`), aRole + "taskNumber", wholeNumber},
	{"taskNumber in quotes", "", inRole(`taskNumber: "3"`), aRole + "taskNumber", wholeNumber},
	{"items without a list", "", inRole(`items: {}`), aRole + "items", "should have at least 1 properties"},
	{"items in two places", "", inRole(`items: {values: [a], configMapKeyRef: {name: n, key: k}}`), aRole + "items", "must have at most 1 item"},
	{"no values", "", inRole(`items: {values: []}`), aRole + "items.values", "should have at least 1 items"},
	{"20,001 values", "", inRole(`items: {values: [` + strings.Repeat("1, ", v1.MaxItems) + `1]}`), aRole + "items.values", "must have at most 20000 items"},
	{"values that are a text", "", inRole(`items: {values: a}`), aRole + "items.values", "must be of type array"},
	{"items of a ConfigMap without a key", "", inRole(`items: {configMapKeyRef: {name: n}}`), aRole + "items.configMapKeyRef.key", "Required value"},
	{"parallelism 0", "", inRole(`parallelism: 0`), aRole + "parallelism", "greater than or equal to 1"},
	{"parallelism -1", "", inRole(`parallelism: -1`), aRole + "parallelism", "greater than or equal to 1"},
	{"parallelism 10001", "", inRole(`parallelism: 10001`), aRole + "parallelism", "less than or equal to 10000"},
	{"parallelism in quotes", "", inRole(`parallelism: "3"`), aRole + "parallelism", wholeNumber},
	{"parallelism with a fraction", "", inRole(`parallelism: 1.5`), aRole + "parallelism", wholeInt32},
	{"taskNumber with a fraction", "", inRole(`taskNumber: 1.5`), aRole + "taskNumber", wholeInt32},
	{"minFailedTaskCount -2", "", inPolicy(`minFailedTaskCount: -2`), aPolicy + "minFailedTaskCount", "greater than or equal to -1"},
	{"minFailedTaskCount beyond int32", "", inPolicy(`minFailedTaskCount: 2147483648`), aPolicy + "minFailedTaskCount", beyondInt32},
	{"minSucceededTaskCount -2", "", inPolicy(`minSucceededTaskCount: -2`), aPolicy + "minSucceededTaskCount", "greater than or equal to -1"},
	{"minSucceededTaskCount beyond int32", "", inPolicy(`minSucceededTaskCount: 2147483648`), aPolicy + "minSucceededTaskCount", beyondInt32},

	{"maxRetryCount -3 of a Task", "", inTask(`retryPolicy: {maxRetryCount: -3}`), aTask + "retryPolicy.maxRetryCount", "greater than or equal to -2"},
	{"maxRetryCount beyond int32 of a Task", "", inTask(`retryPolicy: {maxRetryCount: 3000000000}`), aTask + "retryPolicy.maxRetryCount", beyondInt32},
	{"a role that starts after itself", "", inRole(`startAfter: [{role: a}]`), "spec.taskRoles[0].startAfter", "a role cannot start after itself"},
	{"a role that starts after one that is not there", "", inRole(`startAfter: [{role: nobody}]`), "spec.taskRoles", "startAfter names a role that is not in taskRoles"},
	{"a role that starts after nobody in particular", "", inRole(`startAfter: [{when: Running}]`), aRole + "startAfter[0]", "exactly one of role and framework"},
	{"a role that starts after a role and a Framework in one", "", inRole(`startAfter: [{role: b, framework: other, when: Succeeded}]`), aRole + "startAfter[0]", "exactly one of role and framework"},
	{"a role that starts after a Framework that runs", "", inRole(`startAfter: [{framework: other}]`), aRole + "startAfter[0].when", "must be Succeeded or Completed"},
	{"a role that starts after a role that is completed", "", inRole(`startAfter: [{role: b, when: Completed}]`), aRole + "startAfter[0].when", "must be Addressed, Running, Ready or Succeeded"},
	{"a role that starts after a Framework twice", "", inRole(`startAfter: [{framework: other, when: Succeeded}, {framework: other, when: Completed}]`), aRole + "startAfter", "names a role or a Framework twice"},
	{"a role that starts after its own Framework", "self", inRole(`startAfter: [{framework: self, when: Succeeded}]`), "spec.taskRoles", "a Framework cannot start after itself"},
	{"an unknown time to start", "", inRole(`startAfter: [{role: b, when: Done}]`), aRole + "startAfter[0].when", `supported values: "Addressed", "Running", "Ready", "Succeeded", "Completed"`},
	{"a role that starts after another twice", "", inRole(`startAfter: [{role: b, when: Running}, {role: b, when: Ready}]`), aRole + "startAfter", "names a role or a Framework twice"},
	{"a role that starts after eleven", "", inRole(`startAfter: [` + strings.Repeat(`{role: b}, `, 11) + `]`), aRole + "startAfter", "must have at most 10 items"},
	{"an unknown restart scope", "", inTask(`retryPolicy: {restart: Pod}`), aTask + "retryPolicy.restart", `supported values: "Task", "Role", "Framework"`},
	{"a restart scope of the Framework's policy", "", `spec: {retryPolicy: {restart: Role}}`, "spec.retryPolicy.restart", "is of use in taskRoles[].task.retryPolicy only"},
	{"fewer retries of a role than there are", "", inRole(`retryPolicy: {maxRetryCount: -2}`), aRole + "retryPolicy.maxRetryCount", "greater than or equal to -1"},
	{"retries of a role beyond int32", "", inRole(`retryPolicy: {maxRetryCount: 3000000000}`), aRole + "retryPolicy.maxRetryCount", beyondInt32},
	{"a window of no failure", "", inTask(`retryPolicy: {window: {failures: 0, withinSec: 60}}`), aTask + "retryPolicy.window.failures", "greater than or equal to 1"},
	{"a window of 101 failures", "", inTask(`retryPolicy: {window: {failures: 101, withinSec: 60}}`), aTask + "retryPolicy.window.failures", "less than or equal to 100"},
	{"a window of negative time", "", inTask(`retryPolicy: {window: {failures: 1, withinSec: -1}}`), aTask + "retryPolicy.window.withinSec", "greater than or equal to 1"},
	{"a window of time beyond int32", "", `spec: {retryPolicy: {window: {failures: 1, withinSec: 3000000000}}}`, "spec.retryPolicy.window.withinSec", beyondInt32},
	{"a window without a time", "", inTask(`retryPolicy: {window: {failures: 1}}`), aTask + "retryPolicy.window.withinSec", "Required value"},
	{"a budget without a cause", "", inTask(`retryPolicy: {budgets: [{maxRetryCount: 1}]}`), aTask + "retryPolicy.budgets[0]", "exactly one of code, phrase and attribute"},
	{"a budget with two causes", "", inTask(`retryPolicy: {budgets: [{code: 1, phrase: A, maxRetryCount: 1}]}`), aTask + "retryPolicy.budgets[0]", "exactly one of code, phrase and attribute"},
	{"a budget of a code and an attribute", "", `spec: {retryPolicy: {budgets: [{code: 1, attribute: Transient, maxRetryCount: 1}]}}`, "spec.retryPolicy.budgets[0]", "exactly one of code, phrase and attribute"},
	{"a budget of -2", "", inTask(`retryPolicy: {budgets: [{code: 1, maxRetryCount: -2}]}`), aTask + "retryPolicy.budgets[0].maxRetryCount", "greater than or equal to -1"},
	{"a budget without a number", "", inTask(`retryPolicy: {budgets: [{code: 1}]}`), aTask + "retryPolicy.budgets[0].maxRetryCount", "Required value"},
	{"a budget of an empty phrase", "", inTask(`retryPolicy: {budgets: [{phrase: "", maxRetryCount: 1}]}`), aTask + "retryPolicy.budgets[0].phrase", "at least 1 chars long"},
	{"21 budgets", "", inTask(`retryPolicy: {budgets: [` + strings.Repeat(`{code: 1, maxRetryCount: 1}, `, 20) + `{code: 1, maxRetryCount: 1}]}`), aTask + "retryPolicy.budgets", "must have at most 20 items"},
	{"memory of the Framework", "", `spec: {retryPolicy: {onOOM: {maxMemory: 1Gi}}}`, "spec.retryPolicy.onOOM", "onOOM is of use in taskRoles[].task.retryPolicy only"},
	{"no maximum of memory", "", inTask(`retryPolicy: {onOOM: {memoryFactor: "2"}}`), aTask + "retryPolicy.onOOM.maxMemory", "Required value"},
	{"a maximum of no memory", "", inTask(`retryPolicy: {onOOM: {maxMemory: 0Gi}}`), aTask + "retryPolicy.onOOM.maxMemory", "should match"},
	{"a negative maximum of memory", "", inTask(`retryPolicy: {onOOM: {maxMemory: -1Gi}}`), aTask + "retryPolicy.onOOM.maxMemory", "should match"},
	{"a maximum of memory in another unit", "", inTask(`retryPolicy: {onOOM: {maxMemory: 64GB}}`), aTask + "retryPolicy.onOOM.maxMemory", "should match"},
	{"a maximum of memory as a number", "", inTask(`retryPolicy: {onOOM: {maxMemory: 64}}`), aTask + "retryPolicy.onOOM.maxMemory", "must be of type string"},
	{"a factor of 1", "", inTask(`retryPolicy: {onOOM: {memoryFactor: "1.00", maxMemory: 1Gi}}`), aTask + "retryPolicy.onOOM.memoryFactor", "should match"},
	{"a factor below 1", "", inTask(`retryPolicy: {onOOM: {memoryFactor: "0.5", maxMemory: 1Gi}}`), aTask + "retryPolicy.onOOM.memoryFactor", "should match"},
	{"a factor above 10", "", inTask(`retryPolicy: {onOOM: {memoryFactor: "10.5", maxMemory: 1Gi}}`), aTask + "retryPolicy.onOOM.memoryFactor", "should match"},
	{"a factor as a number", "", inTask(`retryPolicy: {onOOM: {memoryFactor: 1.5, maxMemory: 1Gi}}`), aTask + "retryPolicy.onOOM.memoryFactor", "must be of type string"},
	{"a negative graceful timeout", "", inTask(`podGracefulDeletionTimeoutSec: -1`), aTask + "podGracefulDeletionTimeoutSec", "greater than or equal to 0"},
	{"a graceful timeout of 300 years", "", inTask(`podGracefulDeletionTimeoutSec: 9223372037`), aTask + "podGracefulDeletionTimeoutSec", "should be less than or equal to 9"},
	{"a graceful timeout with a unit", "", inTask(`podGracefulDeletionTimeoutSec: 10s`), aTask + "podGracefulDeletionTimeoutSec", wholeNumber},
	{"a negative time to find a node", "", inTask(`startDeadline: {unscheduledSec: -1}`), aTask + "startDeadline.unscheduledSec", "greater than or equal to 0"},
	{"a negative time to pull an image", "", inTask(`startDeadline: {imagePullSec: -1}`), aTask + "startDeadline.imagePullSec", "greater than or equal to 0"},
	{"a negative time to create a container", "", inTask(`startDeadline: {containerCreateSec: -1}`), aTask + "startDeadline.containerCreateSec", "greater than or equal to 0"},
	{"a negative time to run", "", inTask(`startDeadline: {notRunningSec: -1}`), aTask + "startDeadline.notRunningSec", "greater than or equal to 0"},
	{"a time to find a node beyond int32", "", inTask(`startDeadline: {unscheduledSec: 3000000000}`), aTask + "startDeadline.unscheduledSec", beyondInt32},
	{"a time to run with a unit", "", inTask(`startDeadline: {notRunningSec: 10m}`), aTask + "startDeadline.notRunningSec", wholeNumber},
	{"a startDeadline that is a number", "", inTask(`startDeadline: 60`), aTask + "startDeadline", "must be of type object"},
	{"a template that is a text", "", inTask(`pod: x`), aTask + "pod", "must be of type object"},
	{"a template that is a list", "", inTask(`pod: []`), aTask + "pod", "must be of type object"},
}

func TestBadSpecs(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	for _, row := range badSpecs {
		t.Run(row.did, func(t *testing.T) {
			requireRefused(t, s.apply(t, row.name, row.fields), row.field, row.says)
		})
	}
	s.neighbour()
}

// strictly are requests that the API server refuses otherwise than with 422: it does not get as far as validation.
var strictly = []struct {
	did, fields string
	code        int32
	says        string
}{
	{"an unknown field of the spec", `spec: {taskRole: []}`, http.StatusBadRequest, `unknown field "spec.taskRole"`},
	{"an unknown field of a role", inRole(`taskCount: 5`), http.StatusBadRequest, `unknown field "spec.taskRoles[0].taskCount"`},
	{"a field in the wrong case", inTask(`podGracefulDeletionTimeoutSeconds: 5`), http.StatusBadRequest, `unknown field "spec.taskRoles[0].task.podGracefulDeletionTimeoutSeconds"`},
	{"roles by name", `spec: {taskRoles: {a: {taskNumber: 1}}}`, http.StatusBadRequest, `unknown field "spec.taskRoles.a"`},
	{"a template of 1.7 MB", inTask(`pod: {spec: {x: ` + letters(1_700_000) + `}}`), http.StatusInternalServerError, "request is too large"},
	{"a template of 4 MiB", inTask(`pod: {spec: {x: ` + letters(4<<20) + `}}`), http.StatusRequestEntityTooLarge, "Request entity too large: limit is 3145728"},
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	for _, row := range strictly {
		t.Run(row.did, func(t *testing.T) {
			err := s.apply(t, "", row.fields)
			status, _ := err.(apierrors.APIStatus)
			if status == nil || status.Status().Code != row.code || !strings.Contains(err.Error(), row.says) {
				t.Errorf("got %.300v, want HTTP %d that says %q", err, row.code, row.says)
			}
		})
	}
	s.neighbour()
}

// badChanges are refused with HTTP 422 too; the Framework continues unchanged.
var badChanges = []struct{ did, from, patch, field, says string }{
	{"Stop to Start", `{executionType: Stop}`, `spec: {executionType: Start}`, "spec.executionType", "to run again, create a new Framework"},
	{"Stop to Create", `{executionType: Stop}`, `spec: {executionType: Create}`, "spec.executionType", "may only change from Create"},
	{"Start to Create", `{executionType: Start}`, `spec: {executionType: Create}`, "spec.executionType", "may only change from Create"},
	{"executionType taken out after Stop", `{executionType: Stop}`, `spec: {executionType: null}`, "spec.executionType", "may only change from Create"},
	{"managedBy added", `{executionType: Create}`, `spec: {managedBy: example.com/other}`, "spec.managedBy", "managedBy may not change"},
	{"managedBy changed", `{managedBy: example.com/other}`, `spec: {managedBy: example.com/another}`, "spec.managedBy", "managedBy may not change"},
	{"managedBy taken out", `{managedBy: example.com/other}`, `spec: {managedBy: null}`, "spec.managedBy", "managedBy may not change"},
	{"the spec taken out", `{}`, `spec: null`, "spec", "Required value"},
	{"a second role of the same name", `{taskRoles: [{name: a, taskNumber: 0}]}`, `[{op: add, path: /spec/taskRoles/-, value: {name: a}}]`, "spec.taskRoles[1]", "Duplicate value"},
	{"another retention", `{volumes: [{name: data, mountPath: /data, claim: {}}], taskRoles: []}`, `[{op: replace, path: /spec/volumes/0/retention, value: Retain}]`, aVolume + "retention", "retention cannot be changed"},
	{"a claim for each Task instead of one", `{volumes: [{name: data, mountPath: /data, claim: {}}], taskRoles: []}`, `[{op: replace, path: /spec/volumes/0/per, value: Task}]`, aVolume + "per", "per cannot be changed"},
	{"a volume of one role only", `{volumes: [{name: data, mountPath: /data, claim: {}}], taskRoles: [{name: a, taskNumber: 0}]}`, `[{op: add, path: /spec/volumes/0/role, value: a}]`, aVolume + "role", "role cannot be changed"},
	{"the role of a volume taken out", `{volumes: [{name: data, mountPath: /data, role: a, claim: {}}], taskRoles: [{name: a, taskNumber: 0}]}`, `[{op: remove, path: /spec/taskRoles/0}]`, "spec.volumes", "names a role that is not in taskRoles"},
	{"a decrease of parallelism to 0", `{taskRoles: [{name: a, taskNumber: 0, parallelism: 1}]}`, `[{op: replace, path: /spec/taskRoles/0/parallelism, value: 0}]`, aRole + "parallelism", "greater than or equal to 1"},
	{"a rescale to -1", `{taskRoles: [{name: a, taskNumber: 0}]}`, `[{op: replace, path: /spec/taskRoles/0/taskNumber, value: -1}]`, aRole + "taskNumber", "greater than or equal to 0"},
}

// inVolume is a spec with a volume that has another value in one field, or none.
func inVolume(field string) string {
	values := []string{"name: data", "mountPath: /data", "claim: {}"}
	given, _, _ := strings.Cut(field, ":")
	values = slices.DeleteFunc(values, func(v string) bool { return strings.HasPrefix(v, given+":") })
	if !strings.HasSuffix(field, ": null") {
		values = append(values, field)
	}
	return `spec: {taskRoles: [{name: a}], volumes: [{` + strings.Join(values, ", ") + `}]}`
}

func TestForbiddenChangesAreRefused(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	for i, row := range badChanges {
		t.Run(row.did, func(t *testing.T) {
			name := fmt.Sprint("changed", i)
			s.partOf(t).create(name, row.from)
			requireRefused(t, s.tryPatch(t, name, row.patch), row.field, row.says)
		})
	}
	s.neighbour()
}

// badStatuses are statuses that the API server does not take from anybody.
var badStatuses = []struct{ did, status, field, says string }{
	{"a status that is a text", `x`, "status", "must be of type object"},
	{"a state that is a number", `{state: 5}`, "status.state", "must be of type string"},
	{"a start that is no time", `{startTime: yesterday}`, "status.startTime", "must be of type date-time"},
	{"negative counts", `{tasks: {running: -1}}`, "status.tasks.running", "greater than or equal to 0"},
	{"negative retries", `{retryPolicyStatus: {totalRetriedCount: -1}}`, "status.retryPolicyStatus.totalRetriedCount", "greater than or equal to 0"},
	{"retries beyond int32", `{retryPolicyStatus: {totalRetriedCount: 3000000000}}`, "status.retryPolicyStatus.totalRetriedCount", beyondInt32},
	{"an attempt that is a text", `{attemptStatus: x}`, "status.attemptStatus", "must be of type object"},
	{"a condition of too many words", `{conditions: [{type: Waiting, status: "True", reason: R, lastTransitionTime: "2026-01-01T00:00:00Z", message: ` + letters(32769) + `}]}`,
		"status.conditions[0].message", "may not be more than 32768"},
	{"a condition without a reason", `{conditions: [{type: Waiting, status: "True", message: "", lastTransitionTime: "2026-01-01T00:00:00Z"}]}`, "status.conditions[0].reason", "Required value"},
}

func TestBadStatuses(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	s.create("edited", roleOf(1, pod()))
	before := s.awaitAllRunning("edited", 1)
	for _, row := range badStatuses {
		t.Run(row.did, func(t *testing.T) {
			requireRefused(t, s.tryPatch(t, "edited", "status: "+row.status, "status"), row.field, row.says)
		})
	}
	s.eventuallyHasStatus("edited", before.Status)
	s.neighbour()
}

// A user of kubectl sees the same.
func TestBadSpecsInKubectl(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("demo", `{executionType: Stop}`)
	tests := []struct{ patch, says string }{
		{`{"spec":{"executionType":"Start"}}`, `The Framework "demo" is invalid: spec.executionType: Invalid value: "Start": executionType may only change from Create to Start or Stop`},
		{`{"spec":{"retryPolicy":{"maxRetryCount":-3}}}`, `The Framework "demo" is invalid: spec.retryPolicy.maxRetryCount: Invalid value: -3`},
	}
	for _, tt := range tests {
		_, err := s.tryKubectl(t.Context(), "patch", "fw", "demo", "--type=merge", "--patch="+tt.patch)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("got %v, want %q", err, tt.says)
		}
	}
}

// apply asks for a Framework as kubectl apply does: strictly.
func (s *story) apply(t *testing.T, name, fields string) error {
	t.Helper()
	f := &unstructured.Unstructured{Object: map[string]any{}}
	require.NoError(t, yaml.Unmarshal([]byte(fields), &f.Object))
	f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
	f.SetName(name)
	if name == "" {
		f.SetName("demo")
	}
	_, err := s.raw.Create(t.Context(), f, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	return err
}

func (s *story) tryPatch(t *testing.T, name, patch string, subresource ...string) error {
	t.Helper()
	kind := types.MergePatchType
	if strings.HasPrefix(patch, "[") {
		kind = types.JSONPatchType
	}
	body, err := yaml.ToJSON([]byte(patch))
	require.NoError(t, err)
	_, err = s.raw.Patch(t.Context(), name, kind, body, metav1.PatchOptions{}, subresource...)
	return err
}

// requireRefused: the request was answered with 422, with that field among the causes, and in the message that
// people see.
func requireRefused(t *testing.T, err error, field, says string) {
	t.Helper()
	if !apierrors.IsInvalid(err) {
		t.Fatalf("got %.300v, want HTTP 422", err)
	}
	status := err.(apierrors.APIStatus).Status()
	for _, cause := range status.Details.Causes {
		if cause.Field == field && strings.Contains(cause.Message, says) && strings.Contains(status.Message, field+": ") {
			return
		}
	}
	t.Errorf("got %.500q, want %s: ... %s", status.Message, field, says)
}

func letters(n int) string { return strings.Repeat("a", n) }

func inRole(fields string) string { return `spec: {taskRoles: [{name: a, ` + fields + `}]}` }
func inTask(fields string) string { return inRole(`task: {` + fields + `}`) }
func inPolicy(fields string) string {
	return inRole(`frameworkAttemptCompletionPolicy: {` + fields + `}`)
}

func rolesNumbered(n int) string {
	var roles []string
	for i := range n {
		roles = append(roles, fmt.Sprintf("{name: r%d}", i))
	}
	return `spec: {taskRoles: [` + strings.Join(roles, ", ") + `]}`
}

func numberedKeys(n int) string {
	var keys []string
	for i := range n {
		keys = append(keys, fmt.Sprintf("k%d: 0", i))
	}
	return strings.Join(keys, ", ")
}
