package apiserver

import (
	"strings"
	"testing"
)

// An answer without an object's metadata is an error: without a resourceVersion, the next write would fail.
func TestOnlyMetadataIsTakenForIt(t *testing.T) {
	t.Parallel()
	const about = `{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": {"resourceVersion": "7"}}`
	if got, err := metadataIn([]byte(about)); err != nil || got.ResourceVersion != "7" {
		t.Errorf("metadata: %+v, %v", got, err)
	}
	for answer, want := range map[string]string{
		`{"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadataList", "metadata": {"resourceVersion": "7"}}`: "PartialObjectMetadataList",
		`{"apiVersion": "meta.k8s.io/v1", "kind": "Table"}`:                                                           "Table",
		`{"apiVersion": "v1", "kind": "Pod"}`:                                                                         "Pod",
		`<html>`:                                                                                                      "reading the API server's answer",
	} {
		if got, err := metadataIn([]byte(answer)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", answer, got, err)
		}
	}
}
