package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadManifest(t *testing.T) {
	cases := []struct {
		name string
		text string
		want manifest // without the path; zero: an error is wanted
	}{
		{"alone", "kind: Framework\nmetadata: {name: f}\n", manifest{namespace: "default", name: "f"}},
		{
			"among others",
			"kind: ServiceAccount\nmetadata: {name: s}\n---\nkind: Framework\nmetadata: {name: f, namespace: n}\n",
			manifest{namespace: "n", name: "f"},
		},
		{
			"simulated",
			"kind: Framework\nmetadata: {name: f}\nspec: {simulate.frameworkcontroller.io/run-for: 1s}\n",
			manifest{namespace: "default", name: "f", simulated: true},
		},
		{"no Framework", "kind: Pod\n", manifest{}},
		{"no YAML", "{", manifest{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f.yaml")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o644))
			got, err := readManifest(path)
			if (err != nil) != (c.want == manifest{}) {
				t.Fatalf("error %v", err)
			}
			got.path = ""
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}
