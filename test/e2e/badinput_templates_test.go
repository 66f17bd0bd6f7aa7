package e2e

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	refusedForGood = "code=-200 PodCreationPermanentError"
	refusedUnknown = "code=-310 PodCreationUnknownError"
)

// refusedTemplates are refused by the API server when the first Pod is created. The Framework fails with that code, which its condition
// Failed shows, and an event gives the reason.
var refusedTemplates = []struct{ did, template, code, says string }{
	{"no template", `{}`, refusedForGood, "spec.containers: Required value"},
	{"no containers", `{spec: {containers: []}}`, refusedForGood, "spec.containers: Required value"},
	{"containers that are a text", `{spec: {containers: none}}`, refusedForGood, "spec.taskRoles[a].task.pod.spec.containers: must be a list, not a string"},
	{"a container that is a text", `{spec: {containers: [c]}}`, refusedForGood, "task.pod.spec.containers[0]: must be an object, not a string"},
	{"a null container", `{spec: {containers: [null]}}`, refusedForGood, "spec.containers[0].image: Required value"},
	{"metadata that are a text", `{metadata: x, spec: {containers: [{name: c, image: app}]}}`, refusedForGood, "task.pod.metadata: must be an object, not a string"},
	{"no image", `{spec: {containers: [{name: c}]}}`, refusedForGood, "spec.containers[0].image: Required value"},
	{"an image that is a number", `{spec: {containers: [{name: c, image: 5}]}}`, refusedForGood, "cannot unmarshal number into Go struct field Container.spec.containers.image"},
	{"a variable that is a number", inContainer(`env: [{name: A, value: 1}]`), refusedForGood, "EnvVar.spec.containers.env.value of type string"},
	{"readOnly that is a text", inContainer(`volumeMounts: [{name: v, mountPath: /v, readOnly: "true"}]`), refusedForGood, "VolumeMount.spec.containers.volumeMounts.readOnly of type bool"},
	{"a port that is a placeholder", inContainer(`ports: [{containerPort: "{{FC_TASK_INDEX}}"}]`), refusedForGood, "ContainerPort.spec.containers.ports.containerPort of type int32"},
	{"two containers of one name", `{spec: {containers: [{name: c, image: app}, {name: c, image: app}]}}`, refusedForGood, "spec.containers[1].name: Duplicate value"},
	{"a restartPolicy misspelt", inPod(`restartPolicy: Nevre`), refusedForGood, "spec.restartPolicy: Unsupported value"},
	{"hostNetwork that is a text", inPod(`hostNetwork: maybe`), refusedForGood, "PodSpec.spec.hostNetwork of type bool"},
	{"a hostname of 64 letters", inPod(`hostname: ` + letters(64)), refusedForGood, "spec.hostname: Invalid value"},
	{"an unknown placeholder in the hostname", inPod(`hostname: "{{FC_TASK_UID}}"`), refusedForGood, "spec.hostname: Invalid value"},
	{"a mount of a volume that is not there", `{spec: {containers: [{name: c, image: app, volumeMounts: [{name: v, mountPath: /v}]}]}}`, refusedForGood, "spec.containers[0].volumeMounts[0].name: Not found"},
	{"resources that are no quantity", `{spec: {containers: [{name: c, image: app, resources: {requests: {cpu: lots}}}]}}`, refusedForGood, "quantities must match the regular expression"},
	{"requests above limits", `{spec: {containers: [{name: c, image: app, resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}}`, refusedForGood, "spec.containers[0].resources.requests: Invalid value"},
	{"a label with spaces", inMetadata(`labels: {"a b": c}`), refusedForGood, "metadata.labels: Invalid value"},
	{"a label that is a number", inMetadata(`labels: {a: 5}`), refusedForGood, "ObjectMeta.metadata.labels of type string"},
	{"annotations of 1 MiB", inMetadata(`annotations: {a: ` + letters(1<<20) + `}`), refusedForGood, "metadata.annotations: Too long: may not be more than 262144 bytes"},
	{"a finalizer without a domain", inMetadata(`finalizers: [nonsense]`), refusedForGood, "metadata.finalizers[0]: Invalid value"},
	{"another controller", inMetadata(`ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: u, controller: true}]`), refusedForGood, "metadata.ownerReferences: Invalid value"},
	// These two are waited for, for a minute.
	{"a PriorityClass that is missing", inPod(`priorityClassName: nothing`), refusedUnknown, "no PriorityClass with name nothing was found"},
	{"a RuntimeClass that is missing", inPod(`runtimeClassName: nothing`), refusedUnknown, "RuntimeClass"},
}

func inPod(fields string) string {
	return `{spec: {` + fields + `, containers: [{name: c, image: app}]}}`
}
func inContainer(fields string) string {
	return `{spec: {containers: [{name: c, image: app, ` + fields + `}]}}`
}
func inMetadata(fields string) string {
	return `{metadata: {` + fields + `}, spec: {containers: [{name: c, image: app}]}}`
}

func TestRefusedTemplates(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	name := func(i int) string { return fmt.Sprint("refused", i) }
	for i, row := range refusedTemplates {
		s.create(name(i), `{taskRoles: [{name: a, task: {retryPolicy: {fancyRetryPolicy: true}, pod: `+row.template+`}}]}`)
	}
	for i, row := range refusedTemplates {
		t.Run(row.did, func(t *testing.T) {
			s := s.partOf(t)
			s.requireCompleted(name(i), "Completed attempt=0 retried=0/0 "+row.code+" trigger=a-0\na-0 Completed retried=0/0 "+row.code+"\n")
			s.requireAnswer(name(i), answer{condition: v1.ConditionFailed, reason: "Failed", says: row.says, event: "PodRefused"})
		})
	}
	s.neighbour()
	s.requirePods(podCount{created: 1, gone: 1}) // the neighbour's
}

// templatesWithWarnings run, and an event names the likely mistake; or they are interpreted as they must have been meant, which the Pod
// shows.
var templatesWithWarnings = []struct {
	did, template string
	says          string // substring of the event PodWarning; empty for no event
	is            func(*corev1.Pod) bool
}{
	{"a field that Pods do not have", inPod(`privileged: true`), `unknown field "spec.privileged"`, nil},
	{"a field in the wrong case", inPod(`ActiveDeadlineSeconds: 60`), `unknown field "spec.ActiveDeadlineSeconds"`, nil},
	{"an environment variable twice", inEnv(`{name: A, value: "1"}, {name: A, value: "2"}`), `hides previous definition of "A"`, nil},
	{"one of our environment variables", inEnv(`{name: FC_TASK_INDEX, value: "7"}`), `hides previous definition of "FC_TASK_INDEX"`, nil},
	{"our labels", inMetadata(`labels: {FC_FRAMEWORK_NAME: other, FC_TASK_INDEX: "9"}`), "", func(p *corev1.Pod) bool {
		return p.Labels[v1.KeyFrameworkName] != "other" && p.Labels[v1.KeyTaskIndex] == "0"
	}},
	{"our annotations", inMetadata(`annotations: {FC_TASK_UID: other, FC_TASK_ATTEMPT_ID: "9"}`), "", func(p *corev1.Pod) bool {
		return p.Annotations[v1.KeyTaskUID] != "other" && p.Annotations[v1.KeyTaskAttemptID] == "0"
	}},
	{"a name, a namespace and a uid", inMetadata(`name: mine, generateName: mine, namespace: default, uid: u, resourceVersion: "5"`), "", func(p *corev1.Pod) bool {
		return p.Name != "mine" && p.Namespace != "default" && p.UID != "u"
	}},
	{"a status", `{status: {phase: Failed}, spec: {containers: [{name: c, image: app}]}}`, "", func(p *corev1.Pod) bool {
		return p.Status.Phase == corev1.PodRunning
	}},
	{"an unknown placeholder", inMetadata(`annotations: {x: "{{FC_TASK_UID}} {{ FC_TASK_INDEX }} {{FC_TASK_INDEX}}"}`), "", func(p *corev1.Pod) bool {
		return p.Annotations["x"] == "{{FC_TASK_UID}} {{ FC_TASK_INDEX }} 0"
	}},
	{"an ImagePullSecret that is missing", inPod(`imagePullSecrets: [{name: nothing}]`), "", func(p *corev1.Pod) bool {
		return p.Spec.ImagePullSecrets[0].Name == "nothing"
	}},
	{"an environment of 1 MiB", inEnv(`{name: A, value: ` + letters(1<<20) + `}`), "", func(p *corev1.Pod) bool {
		return p.Status.Phase == corev1.PodRunning
	}},
}

func inEnv(variables string) string {
	return `{spec: {containers: [{name: c, image: app, env: [` + variables + `]}]}}`
}

func TestTemplatesWithWarnings(t *testing.T) {
	t.Parallel()
	unharmed(t)
	s := newStory(t)
	name := func(i int) string { return fmt.Sprint("warned", i) }
	for i, row := range templatesWithWarnings {
		s.create(name(i), roleOf(1, row.template))
	}
	for i, row := range templatesWithWarnings {
		t.Run(row.did, func(t *testing.T) {
			s := s.partOf(t)
			s.awaitAllRunning(name(i), 1)
			if row.says != "" {
				s.requireAnswer(name(i), answer{event: "PodWarning", eventSays: row.says})
			}
			p, err := s.pods.Get(t.Context(), v1.PodName(name(i), "a", 0), metav1.GetOptions{})
			if err != nil || row.is != nil && !row.is(p) {
				t.Errorf("got %.2000v, %v", p, err)
			}
		})
	}
	s.neighbour()
}

// Names may together be so long that the Pods' hostnames are cut.
func TestLongNames(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create(letters(63), `{taskRoles: [{name: `+letters(63)+`, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning(letters(63), 1)
	s.requireAnswer(letters(63), answer{event: "HostnameTruncated", eventSays: "so its hostname is cut to 63"})
	s.requireAnswer(letters(63), answer{event: "PodWarning", eventSays: "metadata.name: this is used in the Pod's hostname"})
}

// A warning about one Pod is not repeated for each.
func TestUnknownPodFieldIsToldOnce(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("newer", roleOf(5, inPod(`privileged: true`)))
	s.awaitAllRunning("newer", 5)
	s.patch("newer", scaleTo(6))
	s.awaitAllRunning("newer", 6)
	s.patch("newer", `spec: {executionType: Stop}`)
	s.awaitWarning("newer", "Completed", "") // events are in order, so all earlier ones are there
	events, err := s.warnings(t.Context(), "newer")
	require.NoError(t, err)
	if said := events["PodWarning"]; len(said) != 1 || said[0].Count != 1 {
		t.Errorf("got %q", messages(events))
	}
}
