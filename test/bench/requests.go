package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// requests are the counts of the API server.
type requests struct {
	byKind      map[string]int // such as "PUT frameworks/status", whoever made them
	updateBytes float64        // of all updates of Frameworks, as sent
}

// statusWrites are the only updates of Frameworks here.
const statusWrites = "PUT " + v1.FrameworkPlural + "/status"

func (after requests) since(before requests) requests {
	out := requests{map[string]int{}, after.updateBytes - before.updateBytes}
	for kind, n := range after.byKind {
		if n -= before.byKind[kind]; n > 0 {
			out.byKind[kind] = n
		}
	}
	return out
}

// readRequests reads the API server's metrics.
func readRequests(ctx context.Context, client rest.Interface) (requests, error) {
	out := requests{byKind: map[string]int{}}
	text, err := client.Get().AbsPath("/metrics").Do(ctx).Raw()
	if err != nil {
		return out, fmt.Errorf("reading metrics: %w", err)
	}
	for line := range bytes.Lines(text) {
		out.enter(strings.TrimSpace(string(line)))
	}
	return out, nil
}

func (r *requests) enter(line string) {
	name, rest, _ := strings.Cut(line, "{")
	labels, text, ok := strings.Cut(rest, "} ")
	value, err := strconv.ParseFloat(text, 64)
	if !ok || err != nil {
		return
	}
	switch {
	case name == "apiserver_request_total":
		resource, sub := label(labels, "resource"), label(labels, "subresource")
		if sub != "" {
			resource += "/" + sub
		}
		r.byKind[label(labels, "verb")+" "+resource] += int(value)
	case name == "apiserver_request_body_size_bytes_sum" && label(labels, "resource") == v1.FrameworkPlural && label(labels, "verb") == "update":
		r.updateBytes += value
	}
}

// label returns the value of one of a metric's labels.
func label(labels, name string) string {
	_, rest, _ := strings.Cut(","+labels, ","+name+`="`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}
