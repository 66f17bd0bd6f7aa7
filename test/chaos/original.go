package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// original imitates the original controller on a Framework, up to the point at which it is left. It stores every status in the original's
// form.
type original struct {
	*users
	plan
	uid       types.UID // of the Framework
	status    *v1.FrameworkStatus
	configMap *corev1.ConfigMap
}

// layOut returns when everything exists as the original left it.
func (u *users) layOut(ctx context.Context, p plan) error {
	if err := u.create(ctx, p); err != nil {
		return err
	}
	f, err := u.frameworks.Get(ctx, p.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	o := &original{users: u, plan: p, uid: f.GetUID()}
	o.status = o.begun()
	for _, act := range []func(context.Context) error{o.store, o.createConfigMap, o.store, o.run, o.store, o.finish} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	if p.left.patch == "" {
		return nil
	}
	return u.do(ctx, p, step{patch: p.left.patch})
}

// begun is the status before anything was created.
func (o *original) begun() *v1.FrameworkStatus {
	now := metav1.Now().Rfc3339Copy()
	role := v1.TaskRoleStatus{Name: "a", InstanceUID: string(uuid.NewUUID())}
	retried := o.left.retried
	for i := range o.left.tasks {
		t := v1.TaskStatus{Index: int32(i), InstanceUID: string(uuid.NewUUID()), State: v1.AttemptCreationPending, StartTime: now, TransitionTime: now}
		t.RetryPolicyStatus = v1.RetryPolicyStatus{TotalRetriedCount: retried, AccountableRetriedCount: retried}
		t.AttemptStatus = v1.TaskAttemptStatus{ID: retried, StartTime: now, PodName: v1.PodName(o.name, "a", int32(i))}
		role.TaskStatuses = append(role.TaskStatuses, t)
	}
	f := &v1.FrameworkStatus{State: v1.AttemptCreationPending, StartTime: now, TransitionTime: now}
	f.AttemptStatus = v1.FrameworkAttemptStatus{StartTime: now, ConfigMapName: v1.ConfigMapName(o.name), TaskRoleStatuses: []v1.TaskRoleStatus{role}}
	return f
}

func (o *original) tasks() []v1.TaskStatus {
	return o.status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses
}

// store writes the status.
func (o *original) store(ctx context.Context) error {
	written := o.status.DeepCopy()
	if o.left.compressed {
		if err := compress(&written.AttemptStatus); err != nil {
			return err
		}
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1.Framework{Status: written})
	if err != nil {
		return err
	}
	f, err := o.frameworks.Get(ctx, o.name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	f.Object["status"] = fields["status"]
	_, err = o.frameworks.UpdateStatus(ctx, f, metav1.UpdateOptions{})
	return err
}

// compress puts the statuses of roles into the form that the original gives large ones (contract 7).
func compress(attempt *v1.FrameworkAttemptStatus) error {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	if err := json.NewEncoder(packed).Encode(attempt.TaskRoleStatuses); err != nil {
		return err
	}
	if err := packed.Close(); err != nil {
		return err
	}
	attempt.TaskRoleStatuses, attempt.TaskRoleStatusesCompressed = nil, out.Bytes()
	return nil
}

func (o *original) createConfigMap(ctx context.Context) (err error) {
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Name: v1.ConfigMapName(o.name), Labels: map[string]string{v1.KeyFrameworkName: o.name}, Annotations: o.annotations(),
		Finalizers:      []string{metav1.FinalizerDeleteDependents},
		OwnerReferences: []metav1.OwnerReference{owner(v1.SchemeGroupVersion.String(), v1.FrameworkKind, o.name, o.uid)},
	}}
	if o.configMap, err = o.core.CoreV1().ConfigMaps(namespace).Create(ctx, made, metav1.CreateOptions{}); err != nil {
		return err
	}
	attempt := &o.status.AttemptStatus
	attempt.ConfigMapUID, attempt.InstanceUID = &o.configMap.UID, new("0_"+string(o.configMap.UID))
	o.status.State = v1.AttemptPreparing
	return nil
}

func (o *original) annotations() map[string]string {
	return map[string]string{
		v1.KeyFrameworkNamespace: namespace, v1.KeyFrameworkName: o.name, v1.KeyFrameworkUID: string(o.uid),
		v1.KeyFrameworkAttemptID: "0", v1.KeyConfigMapName: v1.ConfigMapName(o.name),
	}
}

func owner(apiVersion, kind, name string, uid types.UID) metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: apiVersion, Kind: kind, Name: name, UID: uid, Controller: new(true), BlockOwnerDeletion: new(true)}
}

// run creates the Pods, and waits until they run.
func (o *original) run(ctx context.Context) error {
	o.status.State, o.status.RunTime, o.status.AttemptStatus.RunTime = v1.AttemptRunning, new(o.status.StartTime), new(o.status.StartTime)
	for i := range o.tasks() {
		t := &o.tasks()[i]
		pod, err := o.runPod(ctx, t)
		if err != nil {
			return err
		}
		a := &t.AttemptStatus
		t.State, t.RunTime, a.RunTime = v1.AttemptRunning, new(t.StartTime), new(t.StartTime)
		a.PodUID, a.InstanceUID = &pod.UID, new(fmt.Sprintf("%d_%s", a.ID, pod.UID))
		a.PodNodeName, a.PodIP, a.PodHostIP = &pod.Spec.NodeName, &pod.Status.PodIP, &pod.Status.HostIP
		if o.left.state == v1.AttemptRunning {
			o.left.pods[t.Index] = pod.UID
		}
	}
	return nil
}

func (o *original) runPod(ctx context.Context, t *v1.TaskStatus) (*corev1.Pod, error) {
	pods := o.core.CoreV1().Pods(namespace)
	made, err := o.pod(t)
	if err == nil {
		_, err = pods.Create(ctx, made, metav1.CreateOptions{})
	}
	if err != nil {
		return nil, err
	}
	var running *corev1.Pod
	return running, insist(ctx, func() (err error) {
		running, err = pods.Get(ctx, made.Name, metav1.GetOptions{})
		if err == nil && (running.Status.Phase == corev1.PodPending || running.Status.PodIP == "") {
			err = fmt.Errorf("%s does not run", made.Name)
		}
		return err
	})
}

func (o *original) pod(t *v1.TaskStatus) (*corev1.Pod, error) {
	var spec v1.FrameworkSpec
	if err := json.Unmarshal([]byte(mustJSON(o.spec)), &spec); err != nil {
		return nil, err
	}
	template, err := spec.TaskRoles[0].Task.Pod.Decode()
	if err != nil {
		return nil, err
	}
	index := strconv.Itoa(int(t.Index))
	says := o.annotations()
	for key, value := range template.Annotations {
		says[key] = value
	}
	for key, value := range map[string]string{
		v1.KeyConfigMapUID: string(o.configMap.UID), v1.KeyFrameworkAttemptInstanceUID: "0_" + string(o.configMap.UID),
		v1.KeyPodName: t.AttemptStatus.PodName, v1.KeyTaskRoleName: "a", v1.KeyTaskRoleUID: o.status.AttemptStatus.TaskRoleStatuses[0].InstanceUID,
		v1.KeyTaskIndex: index, v1.KeyTaskUID: t.InstanceUID, v1.KeyTaskAttemptID: strconv.Itoa(int(t.AttemptStatus.ID)),
	} {
		says[key] = value
	}
	return &corev1.Pod{Spec: template.Spec, ObjectMeta: metav1.ObjectMeta{
		Name: t.AttemptStatus.PodName, Annotations: says,
		Labels:          map[string]string{v1.KeyFrameworkName: o.name, v1.KeyTaskRoleName: "a", v1.KeyTaskIndex: index},
		OwnerReferences: []metav1.OwnerReference{owner("v1", "ConfigMap", o.configMap.Name, o.configMap.UID)},
	}}, nil
}

// finish ends the attempt, unless the Framework is left before.
func (o *original) finish(ctx context.Context) error {
	if o.left.state == v1.AttemptRunning {
		return nil
	}
	attempt := &o.status.AttemptStatus
	o.status.State, attempt.CompletionStatus = v1.AttemptDeletionPending, &v1.FrameworkAttemptCompletionStatus{CompletionStatus: o.left.outcome}
	for i := range o.tasks() {
		t := &o.tasks()[i]
		t.State, t.AttemptStatus.CompletionStatus = v1.AttemptDeletionPending, &v1.TaskAttemptCompletionStatus{CompletionStatus: o.left.outcome}
	}
	if err := o.store(ctx); err != nil {
		return err
	}
	if err := o.removeConfigMap(ctx); err != nil {
		return err
	}
	now := metav1.NewTime(time.Now()).Rfc3339Copy()
	o.status.State, o.status.TransitionTime, attempt.CompletionTime = o.left.state, now, &now
	if o.left.state == v1.AttemptCompleted {
		o.status.RetryPolicyStatus.RetryDelaySec = &o.left.delay
	} else {
		o.status.CompletionTime = &now
	}
	for i := range o.tasks() {
		t := &o.tasks()[i]
		t.State, t.TransitionTime, t.CompletionTime, t.AttemptStatus.CompletionTime = v1.Completed, now, &now, &now
	}
	return o.store(ctx)
}

// removeConfigMap returns when it has gone, and its Pods with it.
func (o *original) removeConfigMap(ctx context.Context) error {
	return insist(ctx, func() error {
		err := o.core.CoreV1().ConfigMaps(namespace).Delete(ctx, o.configMap.Name, metav1.DeleteOptions{})
		if err == nil {
			err = fmt.Errorf("%s is still there", o.configMap.Name)
		}
		return ignoring(err, apierrors.IsNotFound)
	})
}
