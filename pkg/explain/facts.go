package explain

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Facts are what is known of a Framework. Nothing of them is changed.
type Facts struct {
	// Framework with its roles decompressed. Its status is nil before a controller has seen it.
	Framework *v1.Framework
	// Pods are those that Pods has named, as far as they exist.
	Pods []corev1.Pod
	// Events of the Framework, its ConfigMap and these Pods, in any order.
	Events []corev1.Event
	// Now is when the others were read.
	Now time.Time
}

// Answer is what there is to say.
type Answer struct {
	// Sentences come in the order in which they are to be read, one or a few to a line.
	Sentences []string
	// Next are the commands to run next, the most useful first.
	Next []Step
}

// Step is a command, and what it is good for.
type Step = reason.Step

// telling is an answer in the making.
type telling struct {
	Facts
	status *v1.FrameworkStatus
	answer Answer
	// about are the names that commands are about; see place.
	about map[string]string
}

func newTelling(f Facts) *telling {
	return &telling{Facts: f, status: f.Framework.Status, about: map[string]string{
		"framework": f.Framework.Name, "namespace": f.Framework.Namespace,
	}}
}

func (t *telling) say(format string, args ...any) {
	t.answer.Sentences = append(t.answer.Sentences, fmt.Sprintf(format, args...))
}

// add appends to the last sentence, so that both are read as one line.
func (t *telling) add(format string, args ...any) {
	last := len(t.answer.Sentences) - 1
	t.answer.Sentences[last] += " " + fmt.Sprintf(format, args...)
}

// condition returns the condition of that type if it is true, and nil otherwise.
func (t *telling) condition(kind string) *metav1.Condition {
	if t.status == nil || !meta.IsStatusConditionTrue(t.status.Conditions, kind) {
		return nil
	}
	return meta.FindStatusCondition(t.status.Conditions, kind)
}

func (t *telling) pod(name string) *corev1.Pod {
	for i := range t.Pods {
		if t.Pods[i].Name == name {
			return &t.Pods[i]
		}
	}
	return nil
}

// since is a time of the past, and how long ago it was.
func (t *telling) since(at time.Time) string {
	return fmt.Sprintf("%s (%s ago)", stamp(at), t.ago(at))
}

func (t *telling) ago(at time.Time) string { return duration.HumanDuration(t.Now.Sub(at)) }

// until is a time that may be still to come.
func (t *telling) until(at time.Time) string {
	if left := at.Sub(t.Now); left > 0 {
		return fmt.Sprintf("%s (in %s)", stamp(at), duration.HumanDuration(left))
	}
	return stamp(at)
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }
