package e2e

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// annotatePod merges annotations, given as JSON, into a Pod's.
func (s *story) annotatePod(name, annotations string) {
	s.t.Helper()
	patch := []byte(`{"metadata":{"annotations":` + annotations + `}}`)
	if _, err := s.pods.Patch(s.t.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		s.t.Fatal(err)
	}
}
