package cluster

import (
	"context"
	"fmt"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// guard is a policy that keeps kwok from deleting a Pod that should run.
//
// Whenever the API server ends kwok's watch, which happens if kwok is slow to read, kwok restarts it with all existing Pods, deletes the
// ones again that it knows as terminating, and names no uid: that has hit the next Pod of the same name. Apart from kwok, only the garbage
// collector of Pods whose node is gone deletes at once, by name alone, without a propagation policy. It fails such Pods before.
//
// A plain deletion of a Pod that has no node looks the same, because the API server deletes it at once: such a client must name the uid or
// a propagation policy, as kubectl does. A Pod that has ended, or that terminates slowly, is not guarded.
const guard = "simulated-nodes"

// createGuard returns once the policy is in force.
func createGuard(ctx context.Context, client kubernetes.Interface) error {
	policies := client.AdmissionregistrationV1()
	if _, err := policies.ValidatingAdmissionPolicies().Create(ctx, guardPolicy(), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating policy %s: %w", guard, err)
	}
	if _, err := policies.ValidatingAdmissionPolicyBindings().Create(ctx, guardBinding(), metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("creating the binding of policy %s: %w", guard, err)
	}
	return awaitGuard(ctx, client)
}

func guardPolicy() *admissionv1.ValidatingAdmissionPolicy {
	ignore := admissionv1.Ignore
	return &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: guard},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy: &ignore,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Delete},
					Rule:       admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"pods"}},
				},
			}}},
			MatchConditions: []admissionv1.MatchCondition{{
				Name: "as-kwok-does",
				Expression: "has(request.options.gracePeriodSeconds) && request.options.gracePeriodSeconds == 0" +
					" && !has(request.options.preconditions) && !has(request.options.propagationPolicy)",
			}},
			Validations: []admissionv1.Validation{{
				Expression: "has(oldObject.metadata.deletionTimestamp) || oldObject.status.phase in ['Succeeded', 'Failed']",
				Message:    "a simulated node only removes what is being deleted. Name the uid, as a kubelet does, or a propagation policy, as kubectl does",
			}},
		},
	}
}

func guardBinding() *admissionv1.ValidatingAdmissionPolicyBinding {
	return &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: guard},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: guard, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
}

// awaitGuard tries to delete a Pod as kwok does, until that is refused.
func awaitGuard(ctx context.Context, client kubernetes.Interface) error {
	pods := client.CoreV1().Pods(metav1.NamespaceDefault)
	tried, err := pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: guard},
		Spec: corev1.PodSpec{
			SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
			Containers:      []corev1.Container{{Name: "main", Image: "image"}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("creating a Pod to try policy %s: %w", guard, err)
	}
	asKwok := *metav1.NewDeleteOptions(0)
	asKwok.DryRun = []string{metav1.DryRunAll}
	var last error
	err = poll(ctx, time.Minute, func(ctx context.Context) bool {
		last = pods.Delete(ctx, tried.Name, asKwok)
		return apierrors.IsInvalid(last)
	})
	if err != nil {
		return fmt.Errorf("waiting for policy %s to be in force: %w, deleting as kwok does ended with: %v", guard, err, last)
	}
	byUID := *metav1.NewDeleteOptions(0)
	byUID.Preconditions = metav1.NewUIDPreconditions(string(tried.UID))
	return pods.Delete(ctx, tried.Name, byUID)
}
