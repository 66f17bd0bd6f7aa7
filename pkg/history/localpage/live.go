package localpage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
)

// LivePath has the current Frameworks of the cluster in the namespace given as a parameter, or in all namespaces if it is empty. LiveHeader
// is in every answer of Handler, so that the page knows that there is this path. LiveChangesPath has an event each time that they change.
// LiveExplainPath explains one of them.
const (
	LivePath        = "/live/frameworks"
	LiveExplainPath = "/live/explain"
	LiveChangesPath = "/live/changes"
	LiveHeader      = "X-Framework-Live"
)

// Live is a Framework as it is in the cluster.
type Live struct {
	historyapi.Framework
	// Live is true: it is no row of the history.
	Live bool `json:"live"`
	// Running is the number of Tasks with a Pod that runs.
	Running int64 `json:"running"`
	// Waiting is the obstacle; empty without one.
	Waiting string `json:"waiting,omitempty"`
	// Version differs after each change of the Framework.
	Version string `json:"version"`
}

// livePage is the answer of LivePath.
type livePage struct {
	Items []Live `json:"items"`
	// Message explains why Items is empty, and Status is the status of the API server's refusal; 0 if it did not answer.
	Message string `json:"message,omitempty"`
	Status  int    `json:"status,omitempty"`
}

// Cluster has the running Frameworks. It returns the errors of the API server, wrapped or not.
type Cluster interface {
	// List returns the table that the API server prints of the Frameworks of a namespace, with their metadata.
	List(ctx context.Context, namespace string) (*metav1.Table, error)
	// Watch calls changed after a change of a Framework in a namespace, until ctx or the watch ends. The error is nil if another watch may follow.
	Watch(ctx context.Context, namespace string, changed func()) error
	// Explain explains the state of a Framework, as far as the user may read the facts.
	Explain(ctx context.Context, namespace, name string) (*Explained, error)
}

// Handler serves a history server, and the Frameworks that run now beside it; without a cluster, only the server.
func Handler(server http.Handler, cluster Cluster) http.Handler {
	server = adviseExpired(server)
	if cluster == nil {
		return server
	}
	changes := &liveChanges{cluster: cluster, places: make(chan struct{}, mostStreams)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(LiveHeader, "true")
		switch r.URL.Path {
		case LivePath:
			serveRows(w, r, cluster)
		case LiveExplainPath:
			serveExplanation(w, r, cluster)
		case LiveChangesPath:
			changes.ServeHTTP(w, r)
		default:
			server.ServeHTTP(w, r)
		}
	})
}

func serveRows(w http.ResponseWriter, r *http.Request, cluster Cluster) {
	page := livePage{Items: []Live{}}
	table, err := cluster.List(r.Context(), r.URL.Query().Get("namespace"))
	if err == nil {
		page.Items, err = rowsOf(table)
	}
	if err != nil {
		page.Message, page.Status = err.Error(), statusOf(err) // the history can be read all the same
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(page)
}

// statusOf returns the HTTP status of an error of the API server; 0 for other errors.
func statusOf(err error) int {
	var refused apierrors.APIStatus
	if errors.As(err, &refused) {
		return int(refused.Status().Code)
	}
	return 0
}

// rowsOf reads the columns that the CRD declares.
func rowsOf(t *metav1.Table) ([]Live, error) {
	columns := map[string]int{}
	for i, c := range t.ColumnDefinitions {
		columns[c.Name] = i
	}
	rows := []Live{}
	for i := range t.Rows {
		var of metav1.PartialObjectMetadata
		if err := metadataOf(&t.Rows[i].Object, &of); err != nil {
			return nil, err
		}
		row := cells{t.Rows[i].Cells, columns}
		f := Live{Live: true, Running: row.number("Running"), Waiting: row.text("Waiting"), Version: of.ResourceVersion, Framework: historyapi.Framework{Namespace: of.Namespace, Name: of.Name, UID: string(of.UID),
			Labels: of.Labels, Links: linksOf(&of.ObjectMeta), State: row.text("State"), Created: of.CreationTimestamp.UTC(), Tasks: int32(row.number("Total"))}}
		if f.State == string(v1.Completed) {
			f.Completion = &historyapi.Completion{Code: int32(row.number("Code")), Phrase: row.text("Reason"), Type: string(v1.CompletionSucceeded)}
			if f.Completion.Code != 0 {
				f.Completion.Type = string(v1.CompletionFailed)
			}
		}
		rows = append(rows, f)
	}
	return rows, nil
}

func linksOf(meta *metav1.ObjectMeta) (all []historyapi.Link) {
	found, _ := links.Of(meta)
	for _, l := range found {
		all = append(all, historyapi.Link{Name: l.Name, URL: l.URL})
	}
	return all
}

func metadataOf(object *runtime.RawExtension, into *metav1.PartialObjectMetadata) error {
	if err := json.Unmarshal(object.Raw, into); err != nil {
		return fmt.Errorf("reading the metadata of a Framework: %w", err)
	}
	return nil
}

// cells has the cells of a row by the names of their columns. A missing or empty cell is zero.
type cells struct {
	values  []any
	columns map[string]int
}

func (c cells) of(name string) any {
	if i, ok := c.columns[name]; ok && i < len(c.values) {
		return c.values[i]
	}
	return nil
}

func (c cells) text(name string) string {
	text, _ := c.of(name).(string)
	return text
}

func (c cells) number(name string) int64 {
	switch n := c.of(name).(type) {
	case int64:
		return n
	case float64:
		return int64(n)
	}
	return 0
}
