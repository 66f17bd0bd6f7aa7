package api

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// oddities are Frameworks that the original's CRD lets in and ours does not.
var oddities = map[string]string{
	"twins":      `{spec: {taskRoles: [{name: a}, {name: a}]}, status: {state: AttemptRunning}}`,
	"hugecount":  `{spec: {retryPolicy: {maxRetryCount: 3000000000}}, status: {state: AttemptRunning}}`,
	"minustime":  `{spec: {taskRoles: [{name: a, task: {podGracefulDeletionTimeoutSec: -1}}]}, status: {state: AttemptRunning}}`,
	"namelessly": `{spec: {taskRoles: [{taskNumber: 1}]}, status: {state: AttemptRunning}}`,
	"specless":   `{status: {state: AttemptRunning}}`,
}

// stored holds the objects that useOriginal left in the cluster, by name.
var stored = map[string]*unstructured.Unstructured{}

// useOriginal installs the original's CRD and stores Frameworks as the original does: status and all at once.
func useOriginal(ctx context.Context) error {
	if err := installOriginalCRD(ctx); err != nil {
		return err
	}
	recorded, err := readRecorded()
	if err != nil {
		return err
	}
	texts := maps.Clone(oddities)
	maps.Copy(texts, recorded)
	for name, text := range texts {
		f, err := parse(name, text)
		if err != nil {
			return err
		}
		for _, field := range []string{"uid", "resourceVersion", "generation", "creationTimestamp", "managedFields"} {
			unstructured.RemoveNestedField(f.Object, "metadata", field)
		}
		if stored[name], err = rawClient.Create(ctx, f, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("storing %s: %w", name, err)
		}
	}
	return nil
}

func installOriginalCRD(ctx context.Context) error {
	text, err := os.ReadFile("testdata/original-crd.yaml")
	if err != nil {
		return err
	}
	crd := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(text, &crd.Object); err != nil {
		return err
	}
	if _, err := crds.Create(ctx, crd, metav1.CreateOptions{FieldManager: "the-original"}); err != nil {
		return err
	}
	return eventually(ctx, func(ctx context.Context) error {
		_, err := rawClient.List(ctx, metav1.ListOptions{})
		return err
	})
}

// readRecorded returns the recorded objects as text, by a name derived from the file's.
func readRecorded() (map[string]string, error) {
	files, err := filepath.Glob("../../pkg/apis/frameworkcontroller/v1/testdata/recorded/*.json")
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("no recorded objects")
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name := strings.ReplaceAll(strings.TrimSuffix(filepath.Base(file), ".json"), "-", "")
		texts[name] = string(text)
	}
	return texts, nil
}

// Installing our CRD over the original's does not change stored objects. It adds no default to explicit values of the original, and the
// status can be written through the new subresource, even beside values it would refuse.
func TestObjectsOfTheOriginal(t *testing.T) {
	for name, before := range stored {
		t.Run(name, func(t *testing.T) {
			now, err := rawClient.Get(t.Context(), name, metav1.GetOptions{})
			require.NoError(t, err)
			if _, odd := oddities[name]; !odd {
				requireEqual(t, now.Object["spec"], before.Object["spec"])
			}
			requireEqual(t, now.Object["status"], before.Object["status"])
			status := now.Object["status"].(map[string]any)
			status["observedGeneration"] = int64(7)
			written, err := rawClient.UpdateStatus(t.Context(), now, metav1.UpdateOptions{})
			require.NoError(t, err)
			requireEqual(t, written.Object["status"], any(status))
			if written.GetGeneration() != before.GetGeneration() {
				t.Errorf("generation: got %d, before %d", written.GetGeneration(), before.GetGeneration())
			}
		})
	}
}

// A user who wants to end such a Framework need not repair it first. The exception is a role without a name: any change of the spec has to
// give it one.
func TestObjectsOfTheOriginalCanBeStopped(t *testing.T) {
	for name := range stored {
		t.Run(name, func(t *testing.T) {
			stop := []byte(`{"spec":{"executionType":"Stop"}}`)
			_, err := rawClient.Patch(t.Context(), name, types.MergePatchType, stop,
				metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			if name == "namelessly" {
				requireRefused(t, err, "spec.taskRoles[0].name")
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func requireEqual(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
