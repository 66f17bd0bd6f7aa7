package v1

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
)

// testdata/recorded holds objects that the original controller stored on a real cluster (barrier-framework.json was
// written by its barrier). They are the wire contract: an object read from them must be written back unchanged.

func TestRecordedObjectsSurviveARoundTrip(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		var framework Framework
		require.NoError(t, json.Unmarshal(data, &framework))
		written, err := json.Marshal(&framework)
		require.NoError(t, err)
		requireSame(t, decodeAny(t, data), decodeAny(t, written))
	})
}

// The controller gets its objects as unstructured data, so that path has to be as exact.
func TestRecordedObjectsSurviveTheUnstructuredConverter(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		want := decodeAny(t, data).(map[string]any)
		var framework Framework
		require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(want, &framework))
		got, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&framework)
		require.NoError(t, err)
		// Through JSON once more: the converter's numbers are int64, those of encoding/json float64.
		text, err := json.Marshal(got)
		require.NoError(t, err)
		requireSame(t, want, decodeAny(t, text))
	})
}

// Strict decoding refuses a field that the types lack or spell differently.
func TestRecordedObjectsHaveOnlyKnownFields(t *testing.T) {
	scheme := runtime.NewScheme()
	require.NoError(t, AddToScheme(scheme))
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
	require.NoError(t, err)
	var framework Framework
	require.NoError(t, json.Unmarshal(want, &framework))
	got, err := json.Marshal(&framework)
	require.NoError(t, err)
	if !bytes.Equal(got, bytes.TrimSpace(want)) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDeepCopyOfARecordedObjectSharesNothing(t *testing.T) {
	eachRecorded(t, func(t *testing.T, data []byte) {
		var framework Framework
		require.NoError(t, json.Unmarshal(data, &framework))
		changed := framework.DeepCopy()
		if !reflect.DeepEqual(changed, &framework) {
			t.Fatal("the copy differs")
		}
		role := &changed.Status.AttemptStatus.TaskRoleStatuses[0]
		role.TaskStatuses[0].State = "changed"
		changed.Spec.TaskRoles[0].Task.Pod[0] = 'x'
		var fresh Framework
		require.NoError(t, json.Unmarshal(data, &fresh))
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
			require.NoError(t, err)
			check(t, data)
		})
	}
}

func decodeAny(t *testing.T, data []byte) any {
	t.Helper()
	var value any
	require.NoError(t, json.Unmarshal(data, &value))
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
