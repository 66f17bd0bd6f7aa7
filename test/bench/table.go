package main

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
)

// table shows all Frameworks of the namespace, by a watch, in the form that kubectl prints: whole objects may be large, and sending them
// here would slow down the product.
type table struct {
	client versioned.Interface
	board  board[frameworkRows]
}

type frameworkRows map[string]frameworkRow

// frameworkRow is the row of one Framework in the table.
type frameworkRow struct {
	state   string
	running int
}

// watch follows them until ctx ends.
func (t *table) watch(ctx context.Context) {
	// A watch without a version starts with the current objects, so one that broke off just starts again.
	for ctx.Err() == nil {
		if err := t.follow(ctx); err != nil {
			sleep(ctx, 50*time.Millisecond)
		}
	}
}

// tableEvent is a watch event whose object is a table of one row.
type tableEvent struct {
	Type   string
	Object struct {
		ColumnDefinitions []metav1.TableColumnDefinition // only in the first event
		Rows              []struct{ Cells []any }
	}
}

func (t *table) follow(ctx context.Context) error {
	stream, err := t.client.FrameworkControllerV1().RESTClient().Get().Namespace(namespace).Resource(v1.FrameworkPlural).
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
			t.enter(event.Type == "DELETED", columns, row.Cells)
		}
	}
}

func (t *table) enter(deleted bool, columns map[string]int, cells []any) {
	name, _ := cells[columns["Name"]].(string)
	row := frameworkRow{}
	row.state, _ = cells[columns["State"]].(string)
	running, _ := cells[columns["Running"]].(float64)
	row.running = int(running)
	t.board.change(func(rows *frameworkRows) {
		next := maps.Clone(*rows) // readers keep the one before
		next[name] = row
		if deleted {
			delete(next, name)
		}
		*rows = next
	})
}
