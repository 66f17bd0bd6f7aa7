package apitest

import (
	"fmt"
	"net/http"
	"strconv"
)

// page is the part of a list that a request asks for.
type page struct {
	version int64  // the store's version, the same for all pages of a list
	after   string // the last name on the page before; empty for the first page
	limit   int    // 0 for none
}

func (s *Server) page(q *Request) (p page, err error) {
	p.version = s.view(q.Resource)
	if limit := q.query.Get("limit"); limit != "" {
		if p.limit, err = strconv.Atoi(limit); err != nil {
			return p, err
		}
	}
	if next := q.query.Get("continue"); next != "" {
		_, err = fmt.Sscanf(next, "%d/%s", &p.version, &p.after)
	}
	return p, err
}

// next returns the token to request the page after an object.
func (p page) next(last *object) string { return fmt.Sprintf("%d/%s", p.version, last.GetName()) }

// of returns the objects on the page, and whether more follow.
func (p page) of(all []*object, wanted func(*object) bool) (here []*object, more bool) {
	for _, o := range all {
		switch {
		case o.GetName() <= p.after || !wanted(o):
		case p.limit > 0 && len(here) == p.limit:
			return here, true
		default:
			here = append(here, o)
		}
	}
	return here, false
}

func (s *Server) list(q *Request) answer {
	p, err := s.page(q)
	if err != nil {
		return badRequest(err)
	}
	here, more := p.of(s.store.list(q.Resource, p.version), func(o *object) bool { return selected(q, o) })
	items := []any{}
	for _, o := range here {
		if q.MetadataOnly {
			items = append(items, metadataOf(o.Object))
		} else {
			items = append(items, o.Object)
		}
	}
	meta := map[string]any{"resourceVersion": strconv.FormatInt(p.version, 10)}
	if more {
		meta["continue"] = p.next(here[len(here)-1])
	}
	list := map[string]any{
		"apiVersion": "v1",
		"kind":       map[string]string{Pods: "PodList", ConfigMaps: "ConfigMapList", Services: "ServiceList"}[q.Resource],
		"metadata":   meta,
		"items":      items,
	}
	if q.MetadataOnly {
		list["apiVersion"], list["kind"] = "meta.k8s.io/v1", "PartialObjectMetadataList"
		q.MetadataOnly = false // the answer is in that form already
	}
	return answer{code: http.StatusOK, object: list}
}
