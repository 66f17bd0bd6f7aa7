package e2e

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// This file writes the objects that the original leaves behind, in its way: the status is part of the main resource. The form comes from
// recorded objects; only identities, times, and the point in life are set here.
const (
	recordedFramework = "../../pkg/apis/frameworkcontroller/v1/testdata/recorded/framework-running.json"
	recordedConfigMap = "../../pkg/objects/testdata/configmap.json"
	recordedPod       = "../../pkg/objects/testdata/pod.json"
)

// theLeft is the name of each Framework that is laid out, each in its namespace.
const theLeft = "left"

// laid is a Framework that was laid out.
type laid struct {
	left
	framework *unstructured.Unstructured // as stored, but never compressed
	status    leftStatus
	configMap types.UID // a made-up one if it is lost
	role      string    // instance UID
	tasks     []*laidTask
	deleted   time.Time // when objects were deleted, if any
}

type laidTask struct {
	leftStatus
	index int
	uid   string
	pod   *corev1.Pod // as last seen; a made-up one if it is lost; nil if it never existed
}

// layOut creates the objects that the original left. No controller may see them before they are complete.
func (s *story) layOut(l left, compressed bool) *laid {
	s.t.Helper()
	out := &laid{left: l, configMap: uuid.NewUUID(), role: string(uuid.NewUUID())}
	if l.status != "" {
		out.status = parseLeft(s.t, l.status)
	}
	for i, text := range l.tasks {
		out.tasks = append(out.tasks, &laidTask{leftStatus: parseLeft(s.t, text), index: i, uid: string(uuid.NewUUID())})
	}
	s.layOutFramework(out)
	if out.status.object.exists() {
		s.layOutConfigMap(out)
	}
	for _, task := range out.tasks {
		s.layOutPod(out, task)
	}
	s.deleteLaid(out)
	if l.status != "" {
		s.layOutStatus(out, compressed)
	}
	return out
}

func (s *story) layOutFramework(l *laid) {
	s.t.Helper()
	f := &unstructured.Unstructured{Object: map[string]any{"spec": l.spec(s.t)}}
	f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
	f.SetName(theLeft)
	var err error
	if l.framework, err = s.raw.Create(s.t.Context(), f, metav1.CreateOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// spec returns a spec as the original writes it, so no field is absent, unless it is bare.
func (l *laid) spec(t *testing.T) map[string]any {
	spec := fieldsOf(readRecorded(t, recordedFramework)).at("spec")
	role := spec.list("taskRoles")[0]
	role["name"], role["taskNumber"] = "a", int64(len(l.tasks))
	if l.left.framework == bare {
		delete(role, "frameworkAttemptCompletionPolicy")
		role["task"] = map[string]any{"pod": role.at("task")["pod"]}
		return map[string]any{"taskRoles": []any{map[string]any(role)}}
	}
	merge(t, spec, `{description: "", retryPolicy: {fancyRetryPolicy: false, maxRetryCount: 0}}`, l.left.framework)
	merge(t, role, `{task: {podGracefulDeletionTimeoutSec: null, retryPolicy: {fancyRetryPolicy: false, maxRetryCount: 0}}}`, l.left.role)
	spec["taskRoles"] = []any{map[string]any(role)}
	return spec
}

func (s *story) layOutConfigMap(l *laid) {
	s.t.Helper()
	recorded := &corev1.ConfigMap{}
	decodeRecorded(s.t, recordedConfigMap, recorded)
	c := &corev1.ConfigMap{ObjectMeta: writtenMeta(recorded.ObjectMeta, v1.ConfigMapName(theLeft))}
	identity := s.identity(l)
	if l.status.object == outdated {
		identity[v1.KeyFrameworkAttemptID] = strconv.Itoa(l.status.retried - 1)
	}
	identify(&c.ObjectMeta, identity)
	c.OwnerReferences[0].Name, c.OwnerReferences[0].UID = theLeft, l.framework.GetUID()
	made, err := s.configMaps.Create(s.t.Context(), c, metav1.CreateOptions{})
	require.NoError(s.t, err)
	l.configMap = made.UID
}

// writtenMeta is the part of recorded metadata that a client writes.
func writtenMeta(recorded metav1.ObjectMeta, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name:            name,
		Labels:          recorded.Labels,
		Annotations:     recorded.Annotations,
		Finalizers:      recorded.Finalizers,
		OwnerReferences: recorded.OwnerReferences,
	}
}

// identity has the fields of their Framework's identity that dependents carry.
func (s *story) identity(l *laid) map[string]string {
	return map[string]string{
		v1.KeyFrameworkNamespace: s.namespace,
		v1.KeyFrameworkName:      theLeft,
		v1.KeyFrameworkUID:       string(l.framework.GetUID()),
		v1.KeyFrameworkAttemptID: strconv.Itoa(l.status.retried),
		v1.KeyConfigMapName:      v1.ConfigMapName(theLeft),
	}
}

// identify replaces identities in recorded metadata.
func identify(o *metav1.ObjectMeta, identity map[string]string) {
	for _, values := range []map[string]string{o.Labels, o.Annotations} {
		for key := range values {
			if value, ok := identity[key]; ok {
				values[key] = value
			}
		}
	}
}

func (s *story) layOutPod(l *laid, task *laidTask) {
	s.t.Helper()
	name := v1.PodName(theLeft, "a", int32(task.index))
	if task.object == lost {
		task.pod = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: uuid.NewUUID()},
			Spec:       corev1.PodSpec{NodeName: "node-0"},
			Status:     corev1.PodStatus{PodIP: "10.0.0.1", HostIP: "127.0.0.1"},
		}
	}
	if !task.object.exists() {
		return
	}
	made, err := s.pods.Create(s.t.Context(), s.leftPod(l, task, name), metav1.CreateOptions{})
	require.NoError(s.t, err)
	switch task.pod = made; {
	case task.object == succeeded:
		s.endPod(name, 0)
	case task.simulate["hold"] == "":
		task.pod = until(s, thePods, name, "running", isRunning)
	}
}

// leftPod is the recorded Pod with the identity of a Task.
func (s *story) leftPod(l *laid, task *laidTask, name string) *corev1.Pod {
	p := &corev1.Pod{}
	decodeRecorded(s.t, recordedPod, p)
	p.ObjectMeta = writtenMeta(p.ObjectMeta, name)
	identity := s.identity(l)
	identity[v1.KeyConfigMapUID] = string(l.configMap)
	identity[v1.KeyFrameworkAttemptInstanceUID] = fmt.Sprintf("%d_%s", l.status.retried, l.configMap)
	identity[v1.KeyPodName] = name
	identity[v1.KeyTaskRoleName], identity[v1.KeyTaskRoleUID] = "a", l.role
	identity[v1.KeyTaskIndex], identity[v1.KeyTaskUID] = strconv.Itoa(task.index), task.uid
	identity[v1.KeyTaskAttemptID] = strconv.Itoa(task.retried)
	identify(&p.ObjectMeta, identity)
	if l.older {
		delete(p.Annotations, v1.KeyTaskRoleUID)
		delete(p.Annotations, v1.KeyTaskUID)
	}
	for key, value := range task.simulate {
		p.Annotations["simulate.frameworkcontroller.io/"+key] = value
	}
	p.OwnerReferences[0].Name, p.OwnerReferences[0].UID = v1.ConfigMapName(theLeft), l.configMap
	p.Spec = writtenSpec(p.Spec, identity)
	return p
}

// writtenSpec leaves out the fields that the API server and the scheduler added to a recorded spec.
func writtenSpec(spec corev1.PodSpec, identity map[string]string) corev1.PodSpec {
	spec.NodeName, spec.Priority, spec.PreemptionPolicy, spec.Volumes = "", nil, nil, nil
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			containers[i].VolumeMounts = nil
			for j, env := range containers[i].Env {
				if value, ok := identity[env.Name]; ok {
					containers[i].Env[j].Value = value
				}
			}
		}
	}
	return spec
}

// deleteLaid begins the deletion of objects that should be found terminating.
func (s *story) deleteLaid(l *laid) {
	s.t.Helper()
	if l.status.object == terminating {
		l.deleted = time.Now() // at most the duration of the request too early
		s.deleteConfigMap(v1.ConfigMapName(theLeft))
	}
	for _, task := range l.tasks {
		if task.object == terminating {
			l.deleted = time.Now()
			s.deletePod(task.pod.Name)
		}
	}
}

// layOutStatus stores the status as the original does, with the whole object.
func (s *story) layOutStatus(l *laid, compressed bool) {
	s.t.Helper()
	status := l.frameworkStatus(s.t)
	l.framework.Object["status"] = status
	f := l.framework.DeepCopy()
	if compressed {
		compressRoles(s.t, fieldsOf(f.Object).at("status").at("attemptStatus"))
	}
	stored, err := s.raw.Update(s.t.Context(), f, metav1.UpdateOptions{})
	require.NoError(s.t, err)
	if fieldsOf(stored.Object).at("status").text("state") != string(l.status.state) {
		s.t.Fatalf("the status was not stored: %v", stored.Object["status"])
	}
	l.framework.SetResourceVersion(stored.GetResourceVersion())
}

// compressRoles puts the statuses of roles into the form that the original uses when they are large (contract 7).
func compressRoles(t *testing.T, attempt fieldsOf) {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write([]byte(jsonOf(t, attempt["taskRoleStatuses"]))); err != nil {
		t.Fatal(err)
	}
	require.NoError(t, w.Close())
	body, err := json.Marshal(out.Bytes()) // in base64
	require.NoError(t, err)
	attempt["taskRoleStatuses"] = nil
	attempt["taskRoleStatusesCompressed"] = string(body[1 : len(body)-1])
}

func (l *laid) frameworkStatus(t *testing.T) map[string]any {
	status := fieldsOf(readRecorded(t, recordedFramework)).at("status")
	attempt := status.at("attemptStatus")
	role := attempt.list("taskRoleStatuses")[0]
	task := role.list("taskStatuses")[0]
	l.status.into(t, status)
	attempt["configMapName"] = v1.ConfigMapName(theLeft)
	setObject(attempt, "configMapUID", l.status, l.configMap)
	if c := attempt.at("completionStatus"); c != nil {
		delete(c, "pod") // a Framework inherits it from a Task
	}
	role["name"], role["podGracefulDeletionTimeoutSec"] = "a", nil
	if l.timeout {
		role["podGracefulDeletionTimeoutSec"] = fieldsOf(l.framework.Object).at("spec").list("taskRoles")[0].at("task")["podGracefulDeletionTimeoutSec"]
	}
	setInstance(role, l.role, l.older)
	tasks := []any{}
	for _, laid := range l.tasks {
		tasks = append(tasks, laid.taskStatus(t, task, l.older))
	}
	role["taskStatuses"] = tasks
	attempt["taskRoleStatuses"] = []any{map[string]any(role)}
	return status
}

func (l *laidTask) taskStatus(t *testing.T, recorded fieldsOf, older bool) map[string]any {
	status := fieldsOf((&unstructured.Unstructured{Object: recorded}).DeepCopy().Object)
	attempt := status.at("attemptStatus")
	l.into(t, status)
	status["index"], status["deletionPending"] = int64(l.index), l.deletionPending
	setInstance(status, l.uid, older)
	attempt["podName"] = v1.PodName(theLeft, "a", int32(l.index))
	var pod corev1.Pod
	if l.pod != nil {
		pod = *l.pod
	}
	setObject(attempt, "podUID", l.leftStatus, pod.UID)
	attempt["podNodeName"], attempt["podIP"], attempt["podHostIP"] = pod.Spec.NodeName, pod.Status.PodIP, pod.Status.HostIP
	if l.state == v1.AttemptCreationPending || l.state == v1.AttemptCreationRequested {
		attempt["podNodeName"], attempt["podIP"], attempt["podHostIP"] = nil, nil, nil // the original has not seen it
	}
	return status
}

func setInstance(status fieldsOf, uid string, older bool) {
	if status["instanceUID"] = uid; older {
		delete(status, "instanceUID")
	}
}

func setObject(attempt fieldsOf, field string, l leftStatus, uid types.UID) {
	if attempt[field], attempt["instanceUID"] = nil, nil; l.object.recorded() {
		attempt[field], attempt["instanceUID"] = string(uid), fmt.Sprintf("%d_%s", l.retried, uid)
	}
}

// into sets the fields that the statuses of Frameworks and Tasks share.
func (l leftStatus) into(t *testing.T, status fieldsOf) {
	last := time.Now().Add(-l.age).UTC()
	at := last.Format(time.RFC3339)
	before := last.Add(-time.Minute).Format(time.RFC3339)
	attempt := status.at("attemptStatus")
	status["state"], status["transitionTime"], status["startTime"] = string(l.state), at, before
	attempt["id"], attempt["startTime"] = int64(l.retried), before
	status["retryPolicyStatus"] = map[string]any{
		"totalRetriedCount": int64(l.retried), "accountableRetriedCount": int64(l.accountable), "retryDelaySec": l.delay}
	status["runTime"], attempt["runTime"] = nil, nil
	if l.hasRun() {
		status["runTime"], attempt["runTime"] = before, before
	}
	status["completionTime"], attempt["completionTime"] = nil, nil
	if l.state == v1.Completed {
		status["completionTime"] = at
	}
	if l.state == v1.AttemptCompleted || l.state == v1.Completed {
		attempt["completionTime"] = at
	}
	if attempt["completionStatus"] = nil; l.outcome != "" {
		attempt["completionStatus"] = map[string]any(fieldsIn(t, outcomes[l.outcome]))
	}
}

// merge changes fields as JSON merge patches, given in YAML, would, but a null is a value.
func merge(t *testing.T, fields fieldsOf, patches ...string) {
	t.Helper()
	for _, patch := range patches {
		mergeFields(fields, fieldsIn(t, patch))
	}
}

func mergeFields(fields, patch fieldsOf) {
	for name, value := range patch {
		if inner, ok := value.(map[string]any); ok && fields.at(name) != nil {
			mergeFields(fields.at(name), inner)
		} else {
			fields[name] = value
		}
	}
}

func fieldsIn(t *testing.T, text string) fieldsOf {
	t.Helper()
	fields := map[string]any{}
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return fields
}

// decodeFields has integers where encoding/json has floats, like all objects here.
func decodeFields(t *testing.T, body []byte) map[string]any {
	t.Helper()
	fields := map[string]any{}
	require.NoError(t, utiljson.Unmarshal(body, &fields))
	return fields
}

func readRecorded(t *testing.T, path string) map[string]any {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	return decodeFields(t, body)
}

func decodeRecorded(t *testing.T, path string, into any) {
	t.Helper()
	body, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(body, into))
}
