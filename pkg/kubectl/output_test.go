package kubectl

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the fields of documents in testdata")

// The fields of documents are stable: a line of this file may be added, and none may be removed or changed.
func TestFieldsOfDocuments(t *testing.T) {
	var b strings.Builder
	for _, of := range []any{explanation{}, treeDocument{}, taskList{}, pastFrameworks{}, pastFramework{}, pastTasks{}, shadowReport{}, report{}} {
		listFields(&b, reflect.TypeOf(of).Name(), reflect.TypeOf(of))
	}
	const path = "testdata/fields.txt"
	if *rewrite {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String())
}

// listFields lists the fields of a type as in JSON, each with its path and kind.
func listFields(b *strings.Builder, path string, of reflect.Type) {
	switch {
	case of == reflect.TypeFor[metav1.Time]() || of == reflect.TypeFor[time.Time]():
		fmt.Fprintln(b, path, "time")
		return
	case of.Kind() == reflect.Pointer:
		listFields(b, path, of.Elem())
		return
	case of.Kind() == reflect.Slice:
		listFields(b, path+"[]", of.Elem())
		return
	case of.Kind() != reflect.Struct:
		fmt.Fprintln(b, path, of.Kind())
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous:
			listFields(b, path, f.Type)
		case f.IsExported() && name != "-":
			listFields(b, path+"."+name, f.Type)
		}
	}
}

// An unknown format is refused before any request, with the allowed formats.
func TestUnknownFormats(t *testing.T) {
	for command, want := range map[string]string{
		"explain train -o name": "-o name: unknown output format; use json or yaml",
		"tree train -o wide":    "-o wide: unknown output format; use json or yaml",
		"tasks train -o JSON":   "-o JSON: unknown output format; use wide, name, json or yaml",
	} {
		streams, _, _, _ := genericiooptions.NewTestIOStreams()
		root := New(streams)
		root.SetArgs(strings.Fields(command))
		require.EqualError(t, root.Execute(), want)
	}
}
