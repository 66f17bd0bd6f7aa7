package main

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

func TestFirstPods(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(seconds int) metav1.Time { return metav1.NewTime(start.Add(time.Duration(seconds) * time.Second)) }
	framework := func(name string, seconds int) checker.Observation {
		return checker.Observation{Framework: &v1.Framework{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: at(seconds)}}}
	}
	pod := func(of, in string, seconds int) checker.Observation {
		return checker.Observation{Pod: &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
			Namespace: in, Labels: map[string]string{v1.KeyFrameworkName: of}, CreationTimestamp: at(seconds)}}}
	}
	h := checker.History{Observations: []checker.Observation{
		framework("a", 1), framework("b", 2), framework("squatted", 0), framework("without", 0),
		pod("a", namespace, 30), pod("a", namespace, 10), pod("a", greedyNamespace, 2), pod("b", namespace, 4), pod("squatted", namespace, 9),
		framework("a", 20), // the same name again
	}}
	plans := []plan{{name: "a"}, {name: "b"}, {name: "squatted", squatted: time.Second}, {name: "without"}, {name: "left", left: &leftover{}}}
	if got, want := firstPods(h, plans), []time.Duration{2 * time.Second, 9 * time.Second}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for seconds, problems := range map[int]int{45: 0, 46: 1} {
		h := checker.History{Observations: []checker.Observation{framework("a", 0), pod("a", namespace, seconds)}}
		if got := tellDelays(h, plans); len(got) != problems {
			t.Errorf("after %d s: %v", seconds, got)
		}
	}
	if got := tellDelays(checker.History{}, plans); len(got) != 1 {
		t.Errorf("without any Pod: %v", got)
	}
}
