package main

import (
	"bytes"
	"context"
	"encoding/json"
	"runtime"
)

const (
	provenance = "provenance.intoto.json"
	builder    = repository + "/blob/main/tools/release"
)

// writeProvenance writes an in-toto statement that names each file made so far with its digest, and the commit and the Go version of the
// build. It contains neither time nor place, so that a second build of the commit gives the same bytes. It is not signed: the publisher may
// sign it.
func (r *release) writeProvenance(context.Context) error {
	names, err := r.files()
	if err != nil {
		return err
	}
	type descriptor struct {
		Name   string            `json:"name,omitempty"`
		URI    string            `json:"uri,omitempty"`
		Digest map[string]string `json:"digest,omitempty"`
	}
	var subjects []descriptor
	for _, name := range names {
		sum, err := r.sha256OfFile(name)
		if err != nil {
			return err
		}
		subjects = append(subjects, descriptor{Name: name, Digest: map[string]string{"sha256": sum}})
	}
	statement := map[string]any{
		"_type":         "https://in-toto.io/Statement/v1",
		"subject":       subjects,
		"predicateType": "https://slsa.dev/provenance/v1",
		"predicate": map[string]any{
			"buildDefinition": map[string]any{
				"buildType": builder + "@v1",
				"externalParameters": map[string]any{
					"command": "make release", "version": r.version, "registry": r.registry, "url": r.url,
					"platforms": r.platforms, "architectures": r.architectures,
				},
				"internalParameters": map[string]any{"go": runtime.Version(), "sourceDateEpoch": r.time.Unix()},
				"resolvedDependencies": []descriptor{
					{URI: "git+" + repository, Digest: map[string]string{"gitCommit": r.commit}},
				},
			},
			"runDetails": map[string]any{
				"builder": map[string]any{"id": builder},
			},
		},
	}
	text, err := indented(statement)
	if err != nil {
		return err
	}
	return r.write(provenance, text)
}

// indented is JSON to be read by people, too.
func indented(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return out.Bytes(), err
}
