package main

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// inFlight is how many requests are under way at the same time.
const inFlight = 32

// each calls send for every item, inFlight at a time, and returns the first error.
func each[T any](ctx context.Context, items []T, send func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	queue := make(chan T)
	var workers sync.WaitGroup
	for range inFlight {
		workers.Go(func() {
			for item := range queue {
				if err := send(ctx, item); err != nil {
					cancel(err)
				}
			}
		})
	}
	for _, item := range items {
		select {
		case queue <- item:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	return context.Cause(ctx)
}

// ownConnection returns a copy of the config that shares no connection: client-go keeps one for configs that are
// equal, dialer included.
func ownConnection(base *rest.Config) *rest.Config {
	c := rest.CopyConfig(base)
	c.Dial = (&net.Dialer{Timeout: 30 * time.Second}).DialContext
	return c
}

func protobuf(base *rest.Config) *rest.Config {
	c := ownConnection(base)
	c.ContentType, c.AcceptContentTypes = "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf"
	return c
}

// bare makes requests for Pods, as cheaply as can be: answers are not decoded.
type bare struct {
	rest rest.Interface
}

func newBare(c *rest.Config) (*bare, error) {
	client, err := kubernetes.NewForConfig(protobuf(c))
	if err != nil {
		return nil, err
	}
	return &bare{client.CoreV1().RESTClient()}, nil
}

func (b *bare) create(ctx context.Context, pod *corev1.Pod) error {
	return b.rest.Post().Namespace(namespace).Resource("pods").Body(pod).Do(ctx).Error()
}

func (b *bare) delete(ctx context.Context, pod *corev1.Pod) error {
	background := metav1.DeletePropagationBackground // so that the cluster's guard need not check it
	return b.rest.Delete().Namespace(namespace).Resource("pods").Name(pod.Name).
		Body(&metav1.DeleteOptions{PropagationPolicy: &background}).Do(ctx).Error()
}

func (b *bare) createConfigMap(ctx context.Context, o *corev1.ConfigMap) error {
	return b.rest.Post().Namespace(namespace).Resource("configmaps").Body(o).Do(ctx).Error()
}

func (b *bare) getConfigMap(ctx context.Context, o *corev1.ConfigMap) error {
	return b.rest.Get().Namespace(namespace).Resource("configmaps").Name(o.Name).Do(ctx).Error()
}

func (b *bare) updateConfigMap(ctx context.Context, o *corev1.ConfigMap) error {
	return b.rest.Put().Namespace(namespace).Resource("configmaps").Name(o.Name).Body(o).Do(ctx).Error()
}

func (b *bare) deleteConfigMap(ctx context.Context, o *corev1.ConfigMap) error {
	return b.rest.Delete().Namespace(namespace).Resource("configmaps").Name(o.Name).Do(ctx).Error()
}

// succeed writes the status of a Pod whose containers have exited with 0.
func (b *bare) succeed(ctx context.Context, pod *corev1.Pod) error { return b.end(ctx, pod, 0) }

// fail does so for exit code 1.
func (b *bare) fail(ctx context.Context, pod *corev1.Pod) error { return b.end(ctx, pod, 1) }

func (b *bare) end(ctx context.Context, pod *corev1.Pod, code int32) error {
	phase, reason := corev1.PodSucceeded, "Completed"
	if code != 0 {
		phase, reason = corev1.PodFailed, "Error"
	}
	pod = pod.DeepCopy()
	pod.ResourceVersion = ""
	now := metav1.Now()
	pod.Status.Phase = phase
	for i := range pod.Status.Conditions {
		if kind := pod.Status.Conditions[i].Type; kind == corev1.PodReady || kind == corev1.ContainersReady {
			pod.Status.Conditions[i].Status, pod.Status.Conditions[i].Reason = corev1.ConditionFalse, "PodCompleted"
		}
	}
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		s.Ready, s.Started = false, new(false)
		s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: code, Reason: reason, StartedAt: *pod.Status.StartTime, FinishedAt: now,
		}}
	}
	err := b.rest.Put().Namespace(namespace).Resource("pods").Name(pod.Name).SubResource("status").Body(pod).Do(ctx).Error()
	if err != nil {
		return fmt.Errorf("ending Pod %s: %w", pod.Name, err)
	}
	return nil
}
