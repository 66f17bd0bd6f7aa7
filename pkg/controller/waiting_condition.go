package controller

import (
	"cmp"
	"encoding/json"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/counts"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// waiting returns the condition that says what a Framework waits for; nil if it waits for nothing.
func waiting(s *lifecycle.State) *metav1.Condition {
	if s == nil || !meta.IsStatusConditionTrue(s.Framework().Conditions, v1.ConditionWaiting) {
		return nil
	}
	return meta.FindStatusCondition(s.Framework().Conditions, v1.ConditionWaiting)
}

// reasonToWait returns the reason of that condition; empty if the Framework waits for nothing.
func reasonToWait(s *lifecycle.State) string {
	if c := waiting(s); c != nil {
		return cmp.Or(c.Reason, counts.Other)
	}
	return ""
}

// waitsForMemory reports whether it was stored that the Framework is left out.
func waitsForMemory(conditions []metav1.Condition) bool {
	c := meta.FindStatusCondition(conditions, v1.ConditionWaiting)
	return c != nil && c.Reason == memoryLimitReached
}

// conditionsOf are those of a stored status; none if it does not decode.
func conditionsOf(status json.RawMessage) []metav1.Condition {
	var stored struct {
		Conditions []metav1.Condition `json:"conditions"`
	}
	if len(status) == 0 || json.Unmarshal(status, &stored) != nil {
		return nil
	}
	return stored.Conditions
}

// memoryLimitReached is the reason of the condition Waiting if the MemoryBudget is in the way.
const memoryLimitReached = "MemoryLimitReached"
