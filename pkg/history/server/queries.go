package server

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/store"
)

func (s *Server) frameworks(r *http.Request, v values) (any, error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return nil, err
	}
	q := store.FrameworkQuery{Cluster: v.Get("cluster"), Namespace: v.Get("namespace"), Name: v.Get("name"), State: v.Get("state"),
		Code: v.number("code"), Type: v.Get("type"), Node: v.Get("node"), Failed: v.flag("failed"), Details: v.flag("details"), After: v.Get("continue")}
	var err error
	if q.Labels, err = selector(v.Get("labelSelector")); err != nil {
		return nil, err
	}
	if q.Range, err = v.timeRange(s.now()); err != nil {
		return nil, err
	}
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Frameworks(r.Context(), q)
	return page, queryError(err)
}

func selector(text string) (labels.Selector, error) {
	if text == "" {
		return nil, nil
	}
	parsed, err := labels.Parse(text)
	if err != nil {
		return nil, problem(http.StatusBadRequest, "parameter labelSelector: %v", err)
	}
	requirements, _ := parsed.Requirements()
	for _, r := range requirements {
		if r.Operator() == selection.GreaterThan || r.Operator() == selection.LessThan {
			return nil, problem(http.StatusBadRequest, "parameter labelSelector: %q: labels are compared as texts, not as numbers", r.String())
		}
	}
	return parsed, nil
}

func (s *Server) framework(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	detail, err := s.store.Framework(r.Context(), namespace, name, v.Get("uid"))
	return detail, queryError(err)
}

func (s *Server) tasksOfOne(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	q := store.TaskQuery{Namespace: namespace, Name: name, UID: v.Get("uid"), Attempt: v.number("attempt"), LastAttempt: v.number("lastAttempt"), Role: v.Get("role"),
		Node: v.Get("node"), Index: v.number("index"), Type: v.Get("type"), Code: v.number("code"), Failed: v.flag("failed"), After: v.Get("continue")}
	q.Details = v.flag("details") || q.Role != "" && q.Index != nil
	var err error
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Tasks(r.Context(), q)
	return page, queryError(err)
}

func (s *Server) tasks(r *http.Request, v values) (any, error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return nil, err
	}
	q := store.TaskQuery{Namespace: v.Get("namespace"), Role: v.Get("role"), Node: v.Get("node"), Type: v.Get("type"), Code: v.number("code"),
		Plugin: v.Get("plugin"), Rule: v.Get("rule"), Image: v.Get("image"), Failed: v.flag("failed"), Details: v.flag("details"), After: v.Get("continue")}
	var err error
	if q.Range, err = v.timeRange(s.now()); err != nil {
		return nil, err
	}
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Tasks(r.Context(), q)
	return page, queryError(err)
}

func (s *Server) report(r *http.Request, v values) (any, error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return nil, err
	}
	q := store.ReportQuery{By: v.Get("by"), Namespace: v.Get("namespace")}
	if q.By == "" {
		q.By = "namespace"
	}
	var err error
	if q.Range, err = v.timeRange(s.now()); err != nil {
		return nil, err
	}
	report, err := s.store.Report(r.Context(), q)
	if q.Range.Until.IsZero() {
		report.Until = s.now().UTC()
	}
	return report, queryError(err)
}

func (s *Server) verdicts(r *http.Request, v values) (any, error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return nil, err
	}
	q := store.VerdictQuery{Namespace: v.Get("namespace"), Name: v.Get("name"), UID: v.Get("uid"), Plugin: v.Get("plugin"), Rule: v.Get("rule"),
		Code: v.number("code"), After: v.Get("continue")}
	if q.Name != "" && q.Namespace == "" {
		return nil, problem(http.StatusBadRequest, "parameter name: it needs the parameter namespace")
	}
	var err error
	if q.Range, err = v.timeRange(s.now()); err != nil {
		return nil, err
	}
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.Verdicts(r.Context(), q)
	return page, queryError(err)
}

func (s *Server) shadow(r *http.Request, v values) (any, error) {
	q, err := s.shadowQuery(r, v)
	if err != nil {
		return nil, err
	}
	report, err := s.store.Shadow(r.Context(), q)
	if q.Range.Until.IsZero() {
		report.Until = s.now().UTC()
	}
	return report, queryError(err)
}

func (s *Server) shadowVerdicts(r *http.Request, v values) (any, error) {
	q, err := s.shadowQuery(r, v)
	if err != nil {
		return nil, err
	}
	q.Differs, q.After = v.flag("differs"), v.Get("continue")
	if q.Limit, err = v.limit(); err != nil {
		return nil, err
	}
	page, err := s.store.ShadowVerdicts(r.Context(), q)
	return page, queryError(err)
}

func (s *Server) shadowQuery(r *http.Request, v values) (q store.ShadowQuery, err error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return q, err
	}
	q = store.ShadowQuery{Namespace: v.Get("namespace"), Name: v.Get("name"), UID: v.Get("uid"), Plugin: v.Get("plugin"), Rule: v.number("shadowRule")}
	if q.Name != "" && q.Namespace == "" {
		return q, problem(http.StatusBadRequest, "parameter name: it needs the parameter namespace")
	}
	q.Range, err = v.timeRange(s.now())
	return q, err
}

func (s *Server) failures(r *http.Request, v values) (any, error) {
	if err := s.mayRead(r, v.Get("namespace")); err != nil {
		return nil, err
	}
	q := store.FailureQuery{By: cmp.Or(v.Get("by"), "code"), Namespace: v.Get("namespace")}
	var err error
	if q.Range, err = v.timeRange(s.now()); err != nil {
		return nil, err
	}
	if q.Range.Until.IsZero() {
		q.Range.Until = s.now()
	}
	failures, err := s.store.Failures(r.Context(), q)
	return failures, queryError(err)
}

func (s *Server) frameworkObject(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	object, err := s.store.FrameworkObject(r.Context(), namespace, name, v.Get("uid"))
	return object, queryError(err)
}

func (s *Server) taskObject(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	index, err := strconv.ParseInt(r.PathValue("index"), 10, 32)
	if err != nil {
		return nil, problem(http.StatusBadRequest, "%q is not the index of a Task", r.PathValue("index"))
	}
	object, err := s.store.TaskObject(r.Context(), store.TaskObject{Namespace: namespace, Name: name, UID: v.Get("uid"), Role: r.PathValue("role"),
		Index: int32(index), Attempt: v.number("attempt"), TaskAttempt: v.number("taskAttempt")})
	return object, queryError(err)
}

func (s *Server) firstFailure(r *http.Request, v values) (any, error) {
	namespace, name := r.PathValue("namespace"), r.PathValue("name")
	if err := s.mayRead(r, namespace); err != nil {
		return nil, err
	}
	answer, err := s.store.FirstFailure(r.Context(), namespace, name, v.Get("uid"), v.number("attempt"))
	return answer, queryError(err)
}

// queryError gives the errors of the store their status.
func queryError(err error) error {
	switch {
	case errors.Is(err, store.ErrNotFound):
		return problem(http.StatusNotFound, "the history has no Framework of that name")
	case errors.Is(err, store.ErrNoObject):
		return problem(http.StatusNotFound, "%v: it was not seen, or there is no such attempt", err)
	case errors.Is(err, store.ErrNoAttempt), errors.Is(err, store.ErrNoLog), errors.Is(err, store.ErrNoneEnded):
		return problem(http.StatusNotFound, "%v", err)
	case errors.Is(err, store.ErrToken):
		return problem(http.StatusBadRequest, "parameter continue: %v", err)
	case errors.Is(err, store.ErrBy), errors.Is(err, store.ErrFailuresBy):
		return problem(http.StatusBadRequest, "parameter by: %v", err)
	}
	return err
}
