package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/kubernetes/scheme"
)

var reasonFormat = regexp.MustCompile(`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`)

const (
	longestReason  = 1024
	longestMessage = 32768
)

// validStatus checks conditions against the CRD's schema.
func validStatus(o *object) error {
	type withConditions struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	tree, _ := o.Object["status"].(map[string]any)
	status, err := convert[withConditions](map[string]any{"conditions": tree["conditions"]})
	if err != nil {
		return err
	}
	for i, c := range status.Conditions {
		switch {
		case !reasonFormat.MatchString(c.Reason) || len(c.Reason) > longestReason:
			return fmt.Errorf("status.conditions[%d].reason: Invalid value: %q", i, c.Reason)
		case len([]rune(c.Message)) > longestMessage:
			return fmt.Errorf("status.conditions[%d].message: Too long: may not be more than %d bytes", i, longestMessage)
		}
	}
	return nil
}

// strict decodes typed objects and reports unknown fields.
var strict = serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, serializer.SerializerOptions{Strict: true})

// readPod decodes a Pod as a real server does: unknown fields are dropped, and reported as warnings whatever the result.
func readPod(body map[string]any) (o *object, warnings []string, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, nil, err
	}
	pod := &corev1.Pod{}
	_, _, err = strict.Decode(bytes.TrimSpace(data), nil, pod)
	if unknown, isStrict := runtime.AsStrictDecodingError(err); isStrict {
		for _, e := range unknown.Errors() {
			warnings = append(warnings, e.Error())
		}
	} else if err != nil {
		return nil, nil, err
	}
	if len(pod.Spec.Containers) == 0 {
		return nil, warnings, errors.New("spec.containers: Required value")
	}
	pod.Status = corev1.PodStatus{Phase: corev1.PodPending}
	tree, err := treeOf(pod)
	return &object{Object: tree}, warnings, err
}
