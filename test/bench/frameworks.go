package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
)

// frameworks is what a watch shows of all Frameworks of the namespace. They are watched in the form of the table that
// kubectl prints: whole objects may be large, and sending them here would slow down what is measured.
type frameworks struct {
	client versioned.Interface
	board  board[frameworkRows]
}

type frameworkRows map[string]frameworkRow

// frameworkRow is what the table says of one Framework.
type frameworkRow struct {
	state   string
	running int
}

// newFrameworks does not watch yet.
func newFrameworks(c *rest.Config) (*frameworks, error) {
	client, err := versioned.NewForConfig(ownConnection(c))
	if err != nil {
		return nil, err
	}
	return &frameworks{client: client, board: newBoard(frameworkRows{})}, nil
}

func (f *frameworks) create(ctx context.Context, framework *v1.Framework) error {
	_, err := f.client.FrameworkControllerV1().Frameworks(namespace).Create(ctx, framework, metav1.CreateOptions{})
	return err
}

func (f *frameworks) delete(ctx context.Context, framework *v1.Framework) error {
	return f.client.FrameworkControllerV1().Frameworks(namespace).Delete(ctx, framework.Name, metav1.DeleteOptions{})
}

// watch follows them until ctx ends. The CRD must be there.
func (f *frameworks) watch(ctx context.Context) {
	// A watch without a version starts with the objects as they are now, so one that broke off just starts again.
	for ctx.Err() == nil {
		if err := f.follow(ctx); err != nil {
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// tableEvent is a watch event whose object is a table of one row.
type tableEvent struct {
	Type   string
	Object struct {
		ColumnDefinitions []metav1.TableColumnDefinition // with the first event only
		Rows              []struct{ Cells []any }
	}
}

func (f *frameworks) follow(ctx context.Context) error {
	stream, err := f.client.FrameworkControllerV1().RESTClient().Get().Namespace(namespace).Resource(v1.FrameworkPlural).
		Param("watch", "true").Param("includeObject", "None").
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").Stream(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	columns := map[string]int{}
	for decoder := json.NewDecoder(stream); ; {
		event := tableEvent{}
		if err := decoder.Decode(&event); err != nil {
			return err
		}
		for i, column := range event.Object.ColumnDefinitions {
			columns[column.Name] = i
		}
		for _, row := range event.Object.Rows {
			f.enter(event.Type == "DELETED", columns, row.Cells)
		}
	}
}

func (f *frameworks) enter(deleted bool, columns map[string]int, cells []any) {
	name, _ := cells[columns["Name"]].(string)
	row := frameworkRow{}
	row.state, _ = cells[columns["State"]].(string)
	running, _ := cells[columns["Running"]].(float64)
	row.running = int(running)
	f.board.change(func(rows *frameworkRows) {
		next := maps.Clone(*rows) // readers keep the one before
		next[name] = row
		if deleted {
			delete(next, name)
		}
		*rows = next
	})
}

func (f *frameworks) awaitRunning(ctx context.Context, w work) error {
	return f.awaitAll(ctx, w, fmt.Sprintf("%s Tasks to be counted as running", w), func(row frameworkRow) bool { return row.running == w.tasks })
}

func (f *frameworks) awaitCompleted(ctx context.Context, w work) error {
	return f.awaitAll(ctx, w, "every Framework to be completed", func(row frameworkRow) bool { return row.state == string(v1.Completed) })
}

func (f *frameworks) awaitNone(ctx context.Context) error {
	return f.board.await(ctx, "the Frameworks to go", func(rows frameworkRows) bool { return len(rows) == 0 })
}

func (f *frameworks) awaitAll(ctx context.Context, w work, what string, wanted func(frameworkRow) bool) error {
	return f.board.await(ctx, what, func(rows frameworkRows) bool {
		for _, row := range rows {
			if !wanted(row) {
				return false
			}
		}
		return len(rows) == w.frameworks
	})
}
