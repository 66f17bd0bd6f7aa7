package controller

import (
	"context"
	"errors"
	"io"
	"net"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

func refuse(a lifecycle.CreatePod, code completion.Code, cause error) request {
	outcome := refused(a, code, cause)
	return func(context.Context) result { return outcome }
}

func refused(a lifecycle.CreatePod, code completion.Code, cause error) result {
	refusal := lifecycle.Refusal{
		TaskUID:       a.TaskUID,
		TaskAttemptID: a.AttemptID,
		Code:          code,
		Diagnostics:   apiserver.Diagnose(cause),
	}
	return result{err: &refusedError{refusal, cause}}
}

// creationFailed tells a refusal from a failure that may pass (contract 4.6).
func (p *performer) creationFailed(ctx context.Context, namespace string, a lifecycle.CreatePod, e completion.CreationError, err error) result {
	code := completion.ClassifyCreationError(e)
	if code == completion.CodePodCreationTransientError || apierrors.IsForbidden(err) && !p.mayCreatePods(ctx, namespace) {
		return result{err: err}
	}
	return refused(a, code, err)
}

// creationError is what is known of an error, after so long a wait for the Pod.
func creationError(err error, waited time.Duration) completion.CreationError {
	out := completion.CreationError{Message: err.Error(), ConnectionLost: connectionLost(err), Waited: waited}
	var status apierrors.APIStatus
	if errors.As(err, &status) {
		out.Reason, out.Status = string(status.Status().Reason), status.Status().Code
	}
	return out
}

// mayCreatePods reports whether our own permissions allow us to create Pods. If they do not, a refusal says
// nothing about the Pod, and the Task waits instead of failing (decisions, W12). If the API server does not
// answer, we assume that they do not: waiting can be mended.
func (p *performer) mayCreatePods(ctx context.Context, namespace string) bool {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
		ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "create", Resource: "pods"},
	}}
	answer, err := p.clients.Core.AuthorizationV1().SelfSubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
	return err == nil && answer.Status.Allowed
}

// connectionLost reports whether an error also looks like a broken connection.
func connectionLost(err error) bool {
	var netError net.Error
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &netError)
}
