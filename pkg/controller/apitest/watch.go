package apitest

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"
)

// view returns the version up to which lists and watches of a resource show changes.
func (c *Cluster) view(resource string) int64 {
	if version, held := c.held[resource]; held {
		return version
	}
	return c.store.version()
}

func selected(q *Request, o *object) bool {
	selector, err := labels.Parse(q.query.Get("labelSelector"))
	return err == nil && o != nil && selector.Matches(labels.Set(o.GetLabels()))
}

// event is an event of a watch, as it is sent.
type event struct {
	Type   watch.EventType `json:"type"`
	Object map[string]any  `json:"object"`
}

// watch sends changes as they occur. With sendInitialEvents it first sends the existing objects, and a bookmark.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, q *Request) {
	if s.expired(q) {
		refuse(http.StatusGone, metav1.StatusReasonExpired, "too old resource version").send(w, q)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusOK)
	events, version := s.begin(q)
	for {
		send(w, events)
		more := s.since(q, version)
		events, version = more.events, more.version
		if len(events) > 0 {
			continue
		}
		select {
		case <-more.changed:
		case <-more.broken:
			return
		case <-r.Context().Done():
			return
		}
	}
}

// changes are the next events of a watch, up to a version, and the signals for further changes and for its end.
type changes struct {
	events          []event
	version         int64
	changed, broken <-chan struct{}
}

func send(w http.ResponseWriter, events []event) {
	encoder := json.NewEncoder(w)
	for _, e := range events {
		_ = encoder.Encode(e) // fails only if the client has gone
	}
	w.(http.Flusher).Flush()
}

// expired reports whether a watch asks for a forgotten version.
func (c *Cluster) expired(q *Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	version, err := strconv.ParseInt(q.query.Get("resourceVersion"), 10, 64)
	return err == nil && version < c.oldest && q.query.Get("sendInitialEvents") != "true"
}

// begin returns the initial events of a watch, and the version from which it continues.
func (c *Cluster) begin(q *Request) (events []event, version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q.query.Get("sendInitialEvents") != "true" {
		version, _ = strconv.ParseInt(q.query.Get("resourceVersion"), 10, 64)
		return nil, version
	}
	version = c.view(q.Resource)
	for _, o := range c.store.list(q.Resource, version) {
		if selected(q, o) {
			events = append(events, q.event(watch.Added, o))
		}
	}
	return append(events, q.event(watch.Bookmark, bookmark(q.Resource, version))), version
}

func bookmark(resource string, version int64) *object {
	o := &object{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       map[string]string{Pods: "Pod", ConfigMaps: "ConfigMap", Services: "Service"}[resource],
	}}
	o.SetResourceVersion(strconv.FormatInt(version, 10))
	o.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return o
}

func (q *Request) event(kind watch.EventType, o *object) event {
	if q.MetadataOnly {
		return event{kind, metadataOf(o.Object)}
	}
	return event{kind, o.Object}
}

// since returns the changes after a version. If that is forgotten, the watch ends.
func (c *Cluster) since(q *Request, version int64) changes {
	c.mu.Lock()
	defer c.mu.Unlock()
	if version < c.oldest {
		return changes{broken: closed}
	}
	n := changes{version: max(version, c.view(q.Resource)), changed: c.changed, broken: c.broken}
	for i := version; i < n.version; i++ {
		if c := c.store.history[i]; c.key.resource == q.Resource {
			n.events = append(n.events, q.eventsOf(c, i+1)...)
		}
	}
	return n
}

var closed = func() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// eventsOf returns the events that a watch with a selector gets for a change.
func (q *Request) eventsOf(c change, version int64) []event {
	was, is := selected(q, c.was), selected(q, c.is)
	switch {
	case was && is:
		return []event{q.event(watch.Modified, c.is)}
	case is:
		return []event{q.event(watch.Added, c.is)}
	case was:
		return []event{q.event(watch.Deleted, lastOf(c.was, version))}
	}
	return nil
}

// lastOf is an object as a watch shows its removal: in its last form, under the version of the removal.
func lastOf(o *object, version int64) *object {
	last := &object{Object: maps.Clone(o.Object)}
	last.Object["metadata"] = maps.Clone(o.Object["metadata"].(map[string]any))
	last.SetResourceVersion(strconv.FormatInt(version, 10))
	return last
}
