package v1

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// testdata/recorded holds objects that the original controller stored on a real cluster (barrier-framework.json:
// that its barrier wrote). They are the wire contract: what is read from them must be written back as it was.

func TestRecordedObjectsSurviveARoundTrip(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		var framework Framework
		if err := json.Unmarshal(data, &framework); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(&framework)
		if err != nil {
			t.Fatal(err)
		}
		requireSame(t, decodeAny(t, data), decodeAny(t, written))
	})
}

// The controller gets its objects as unstructured data, so that path has to be as exact.
func TestRecordedObjectsSurviveTheUnstructuredConverter(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		want := decodeAny(t, data).(map[string]any)
		var framework Framework
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(want, &framework); err != nil {
			t.Fatal(err)
		}
		got, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&framework)
		if err != nil {
			t.Fatal(err)
		}
		// Through JSON once more: the converter's numbers are int64, those of encoding/json float64.
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		requireSame(t, want, decodeAny(t, text))
	})
}

// Strict decoding refuses a field that the types lack or spell differently.
func TestRecordedObjectsHaveOnlyKnownFields(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme,
		serializer.SerializerOptions{Strict: true})
	kind := SchemeGroupVersion.WithKind(FrameworkKind)
	eachRecorded(t, func(t *testing.T, data []byte) {
		if _, _, err := strict.Decode(data, &kind, &Framework{}); err != nil {
			t.Fatal(err)
		}
	})
}

// Scripts in user images read this file, perhaps with less than a JSON parser: even the order of the keys is kept.
func TestBarrierFileIsReproducedByteForByte(t *testing.T) {
	want, err := os.ReadFile("testdata/recorded/barrier-framework.json")
	if err != nil {
		t.Fatal(err)
	}
	var framework Framework
	if err := json.Unmarshal(want, &framework); err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(&framework)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDeepCopyOfARecordedObjectSharesNothing(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		var framework Framework
		if err := json.Unmarshal(data, &framework); err != nil {
			t.Fatal(err)
		}
		changed := framework.DeepCopy()
		if !reflect.DeepEqual(changed, &framework) {
			t.Fatal("the copy differs")
		}
		role := &changed.Status.AttemptStatus.TaskRoleStatuses[0]
		role.TaskStatuses[0].State = "changed"
		changed.Spec.TaskRoles[0].Task.Pod[0] = 'x'
		var fresh Framework
		if err := json.Unmarshal(data, &fresh); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(fresh, framework) {
			t.Error("changing the copy changed the object")
		}
	})
}

func eachRecorded(t *testing.T, check func(t *testing.T, data []byte)) {
	files, err := filepath.Glob("testdata/recorded/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recorded objects: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			check(t, data)
		})
	}
}

func decodeAny(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func requireSame(t *testing.T, want, got any) {
	t.Helper()
	if reflect.DeepEqual(want, got) {
		return
	}
	w, _ := json.MarshalIndent(want, "", " ")
	g, _ := json.MarshalIndent(got, "", " ")
	t.Errorf("got  %s\nwant %s", g, w)
}
