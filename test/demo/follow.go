package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// follow prints one line for each change of the Framework's state or Task counts. It returns the completion status once it
// is Completed.
func follow(ctx context.Context, c *cluster.Cluster, m manifest) (string, error) {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return "", err
	}
	resource := client.Resource(frameworks).Namespace(m.namespace)
	byName := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", m.name).String()}
	printer := linePrinter{}
	for ctx.Err() == nil {
		// A watch without a version starts with the object as it is now, so one that broke off just starts again.
		w, err := resource.Watch(ctx, byName)
		if err != nil {
			return "", err
		}
		if last, err := printUntilCompleted(w, &printer); last != nil || err != nil {
			return completion(last), err
		}
	}
	return "", context.Cause(ctx)
}

// printUntilCompleted returns nil if the watch ends first.
func printUntilCompleted(w watch.Interface, printer *linePrinter) (*unstructured.Unstructured, error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		f, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, nil
		}
		if event.Type == watch.Deleted {
			return nil, errors.New("the Framework was deleted")
		}
		printer.print(line(f))
		if state(f) == "Completed" {
			return f, nil
		}
	}
	return nil, nil
}

// linePrinter leaves out a line that says what the one before said.
type linePrinter struct{ last string }

func (p *linePrinter) print(line string) {
	if line == p.last {
		return
	}
	p.last = line
	fmt.Println(time.Now().Format("15:04:05.0"), line)
}

func line(f *unstructured.Unstructured) string {
	count := func(name string) int64 {
		n, _, _ := unstructured.NestedInt64(f.Object, "status", "tasks", name)
		return n
	}
	attempt, _, _ := unstructured.NestedInt64(f.Object, "status", "attemptStatus", "id")
	return fmt.Sprintf("%-24s attempt %d   tasks: %d running, %d succeeded, %d failed, %d in total",
		state(f), attempt, count("running"), count("succeeded"), count("failed"), count("total"))
}

func state(f *unstructured.Unstructured) string {
	s, _, _ := unstructured.NestedString(f.Object, "status", "state")
	if s == "" {
		return "(no status yet)"
	}
	return s
}

// completion renders the completion status of a Completed Framework.
func completion(f *unstructured.Unstructured) string {
	if f == nil {
		return ""
	}
	status, _, _ := unstructured.NestedMap(f.Object, "status", "attemptStatus", "completionStatus")
	text := fmt.Sprintf("code %v, %v", status["code"], status["phrase"])
	if diagnostics, _ := status["diagnostics"].(string); diagnostics != "" {
		text += ": " + diagnostics
	}
	return text
}
