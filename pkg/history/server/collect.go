package server

import (
	"context"
	"net/http"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mostContainers limits the containers of one Pod.
const mostContainers = 200

// Collector reads the logs of a Pod, and answers in time for its deletion.
type Collector interface {
	Collect(ctx context.Context, cluster string, r *pluginpb.CollectLogsRequest) error
}

// collect reads the logs of a Pod for a sink.
func (s *Server) collect(w http.ResponseWriter, r *http.Request) error {
	if err := s.mayWrite(r); err != nil {
		return err
	}
	if s.collector == nil {
		return problem(http.StatusNotFound, "the server keeps no logs: start it with --logs-config")
	}
	var request pluginpb.CollectLogsRequest
	cluster, err := readMessage(w, r, &request)
	if err != nil {
		return err
	}
	f := request.GetFramework()
	switch {
	case f.GetUid() == "" || f.GetNamespace() == "":
		return problem(http.StatusBadRequest, "the Framework has no UID or namespace")
	case request.GetPodName() == "" || request.GetPodUid() == "":
		return problem(http.StatusBadRequest, "the Pod has no name or UID")
	case len(request.GetContainers()) > mostContainers:
		return problem(http.StatusBadRequest, "%d containers: at most %d are allowed", len(request.GetContainers()), mostContainers)
	}
	if err := s.collector.Collect(r.Context(), cluster, &request); err != nil {
		s.log.Warn("collecting logs", "namespace", f.GetNamespace(), "pod", request.GetPodName(), "error", err)
		return problem(http.StatusServiceUnavailable, "the logs cannot be stored at the moment")
	}
	return writeMessage(w, &pluginpb.CollectLogsResponse{})
}
