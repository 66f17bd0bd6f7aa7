package controller

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// mayCreatePods reports whether our own permissions allow us to create Pods. If they do not, a refusal says
// nothing about the Pod, and the Task waits instead of failing (decisions, W12). If the API server does not
// answer, we assume that they do not: waiting can be mended.
func (c *Controller) mayCreatePods(ctx context.Context, namespace string) bool {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"},
	}}
	answer, err := c.clients.core.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	return err == nil && answer.Status.Allowed
}

// connectionLost reports whether an error also looks like a broken connection.
func connectionLost(err error) bool {
	var netError net.Error
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &netError)
}

// diagnose renders the cause of a refusal: the API server's answer as JSON if there is one. It is short enough to be kept
// for each Task.
func diagnose(cause error) string {
	var status apierrors.APIStatus
	if !errors.As(cause, &status) {
		return cutAndTold(cause.Error(), longestAnswer)
	}
	return string(jsonOf(status.Status()))
}

// jsonOf encodes one of our own values, which cannot fail.
func jsonOf(v any) []byte {
	body, err := json.Marshal(v)
	if err != nil {
		return []byte("{}")
	}
	return body
}
