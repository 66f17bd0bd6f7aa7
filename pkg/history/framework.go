package history

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Framework is a stored Framework. Its spec and status are JSON in the stored form; null if absent.
type Framework struct {
	Metadata metav1.ObjectMeta
	Spec     json.RawMessage
	Status   json.RawMessage
}

// FrameworkRetry logs an attempt that is about to be replaced.
func (l *Log) FrameworkRetry(f Framework) {
	if l.switches.OnFrameworkRetry {
		l.write(f.about(), "Framework will be retried", "OnFrameworkRetry", f.object())
	}
}

// FrameworkDeletion logs a Framework that is about to be deleted, or was deleted.
func (l *Log) FrameworkDeletion(f Framework, text string) {
	if l.switches.OnFrameworkDeletion {
		l.write(f.about(), fmt.Sprintf("Framework %s %s", text, f.Metadata.UID), "OnFrameworkDeletion", f.object())
	}
}

func (f Framework) about() string { return "[" + f.Metadata.Namespace + "/" + f.Metadata.Name + "]" }

// storedObject has the key order in which the original writes an object.
type storedObject struct {
	Kind       string            `json:"kind"`
	APIVersion string            `json:"apiVersion"`
	Metadata   metav1.ObjectMeta `json:"metadata"`
	Spec       json.RawMessage   `json:"spec"`
	Status     json.RawMessage   `json:"status"`
}

func (f Framework) object() storedObject {
	return storedObject{v1.FrameworkKind, v1.SchemeGroupVersion.String(), f.Metadata, f.Spec, f.Status}
}
