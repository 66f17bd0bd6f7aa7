package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// follow prints what the Framework asks for, and what happens to it until it has completed.
func follow(ctx context.Context, c *cluster.Cluster, m manifest, p *paper) error {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	resource := client.Resource(frameworks).Namespace(m.namespace)
	byName := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", m.name).String()}
	t := teller{paper: p, simulated: m.simulated}
	for ctx.Err() == nil {
		// A watch without a version starts with the current object, so one that broke off just starts again.
		w, err := resource.Watch(ctx, byName)
		if err != nil {
			return err
		}
		if done, err := t.tellUntilCompleted(w); done || err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// teller writes a story.
type teller struct {
	story
	paper     *paper
	simulated bool
	wanted    bool // its wants are printed
}

// tellUntilCompleted returns false if the watch ends first.
func (t *teller) tellUntilCompleted(w watch.Interface) (done bool, err error) {
	defer w.Stop()
	for event := range w.ResultChan() {
		object, ok := event.Object.(*unstructured.Unstructured)
		if !ok {
			return false, nil
		}
		if event.Type == watch.Deleted {
			return false, errors.New("the Framework was deleted")
		}
		f, err := decoded(object)
		if err != nil {
			return false, err
		}
		t.tellWants(f)
		t.paper.happened(t.update(f), t.counts())
		if t.over {
			t.paper.text("", fmt.Sprintf("In the end: %s; %s.", t.counts(), retried(t.retries)))
			return true, nil
		}
	}
	return false, nil
}

func (t *teller) tellWants(f *v1.Framework) {
	if t.wanted {
		return
	}
	t.wanted = true
	t.paper.heading("What it wants")
	t.paper.text(wants(f)...)
	if !t.simulated {
		t.paper.text("No Pod in it says when it ends (see test/cluster/stages.yaml), so this may go on for ever: Ctrl-C ends it.")
	}
	t.paper.heading("What happens")
}

func retried(n int) string {
	if n == 1 {
		return "1 retry of a Task"
	}
	return fmt.Sprintf("%d retries of Tasks", n)
}

// decoded reads a Framework, with a status that may be compressed.
func decoded(object *unstructured.Unstructured) (*v1.Framework, error) {
	text, err := object.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var parts struct {
		metav1.ObjectMeta `json:"metadata"`
		Spec              v1.FrameworkSpec
		Status            json.RawMessage
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		return nil, err
	}
	status, err := statusjson.Decode(parts.Status)
	if err != nil {
		return nil, err
	}
	return &v1.Framework{ObjectMeta: parts.ObjectMeta, Spec: parts.Spec, Status: status}, nil
}
