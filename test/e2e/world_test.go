package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/diff"
	"k8s.io/apimachinery/pkg/util/wait"
)

// world is all that users see of a Framework.
type world struct {
	Framework any      // the status
	Pods      []string // one line each
	ConfigMap string   // one line
}

// quiet is how long nothing must have moved for the world to count as settled.
const quiet = time.Second

// requireWorld waits until the world is settled and as wanted.
func (s *story) requireWorld(name string, want world) {
	s.t.Helper()
	ctx, cancel := s.patient()
	defer cancel()
	var (
		got        world
		last       string
		lastChange time.Time
	)
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		seen, versions, err := s.look(ctx, name)
		if err != nil {
			return false, err
		}
		got = seen // the last view is shown after a timeout
		if versions != last {
			last, lastChange = versions, time.Now()
		}
		return time.Since(lastChange) >= quiet && reflect.DeepEqual(got, want), nil
	})
	if err != nil {
		s.t.Fatalf("the world differs from the recorded one (-got +want): %v\n%s", context.Cause(ctx), diff.Diff(got, want))
	}
}

// look returns the world in the recorded form, and the versions of all its objects.
func (s *story) look(ctx context.Context, name string) (w world, versions string, err error) {
	f, err := s.raw.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return w, "", err
	}
	pods, err := s.pods.List(ctx, frameworkLabel(name))
	if err != nil {
		return w, "", err
	}
	configMaps, err := s.configMaps.List(ctx, frameworkLabel(name))
	if err != nil {
		return w, "", err
	}
	w.Framework = normalised(f.Object["status"])
	versions = f.GetResourceVersion()
	for _, p := range pods.Items {
		w.Pods = append(w.Pods, podLine(&p))
		versions += " " + p.ResourceVersion
	}
	for _, c := range configMaps.Items {
		w.ConfigMap += configMapLine(&c)
		versions += " " + c.ResourceVersion
	}
	slices.Sort(w.Pods)
	return w, versions, nil
}

func podLine(p *corev1.Pod) string {
	owner := "none"
	if c := metav1.GetControllerOf(p); c != nil {
		owner = c.Kind + "/" + c.Name
	}
	return fmt.Sprintf("%s phase=%s deleting=%t owner=%s", p.Name, p.Status.Phase, p.DeletionTimestamp != nil, owner)
}

func configMapLine(c *corev1.ConfigMap) string {
	return fmt.Sprintf("%s deleting=%t", c.Name, c.DeletionTimestamp != nil)
}

// unrecorded are the fields that are not compared: wording, which is free, the time of the last transition, and our additions to the
// status.
var unrecorded = []string{"diagnostics", "message", "transitionTime", "conditions", "tasks", "gate", "observedGeneration", "source", "earlierAttempts"}

// masks replace identities, addresses, nodes and times.
var masks = map[string]string{
	"startTime": "TIME", "runTime": "TIME", "completionTime": "TIME",
	"configMapUID": "UID", "podUID": "UID",
	"podIP": "IP", "podHostIP": "IP", "podNodeName": "NODE",
}

// normalised gives a status the form of the recorded ones. Nulls and empty values are left out.
func normalised(status any) any {
	text, _ := json.Marshal(status) // numbers get the recorded type
	var out any
	json.Unmarshal(text, &out)
	return normalise(out)
}

func normalise(value any) any {
	switch v := value.(type) {
	case map[string]any:
		return normaliseFields(v)
	case []any:
		for i := range v {
			v[i] = normalise(v[i])
		}
	}
	return value
}

func normaliseFields(fields map[string]any) map[string]any {
	maps.DeleteFunc(fields, func(name string, value any) bool {
		return slices.Contains(unrecorded, name) || isEmpty(value)
	})
	for name, value := range fields {
		if text, ok := value.(string); ok {
			fields[name] = masked(name, text)
		} else {
			fields[name] = normalise(value)
		}
	}
	return fields
}

func masked(name, value string) string {
	if mask, ok := masks[name]; ok {
		return mask
	}
	if name == "instanceUID" {
		return maskedInstance(value)
	}
	return value
}

var attemptInstance = regexp.MustCompile(`^(\d+_)?.*$`)

// maskedInstance keeps the attempt's number in front of a UID, if there is one.
func maskedInstance(uid string) string { return attemptInstance.ReplaceAllString(uid, "${1}UID") }

func isEmpty(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case string:
		return strings.TrimSpace(v) == ""
	case []any:
		return len(v) == 0
	case map[string]any:
		return len(v) == 0
	}
	return false
}
