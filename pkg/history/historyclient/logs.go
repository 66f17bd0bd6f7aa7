package historyclient

import (
	"context"
	"io"
	"net/url"
	"strconv"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// FirstFailure reads which Task failed first in an attempt of a Framework; see the server for the attempt if it is nil.
func (c *Client) FirstFailure(ctx context.Context, namespace, name, uid string, attempt *int32) (f historyapi.FirstFailure, err error) {
	err = c.get(ctx, []string{"frameworks", namespace, name, "first-failure"}, Filter{UID: uid, Attempt: attempt}.parameters(), &f)
	return f, err
}

// Logs visits the kept logs of a Framework.
func (c *Client) Logs(ctx context.Context, namespace, name string, of Filter, visit func(historyapi.Log) error) error {
	_, err := each(ctx, c, []string{"frameworks", namespace, name, "logs"}, of.parameters(), 0, visit)
	return err
}

// LogQuery selects one log of a Task, and a part of the log.
type LogQuery struct {
	// UID of the Framework; empty for the newest one of its name.
	UID string
	// Attempt of the Framework; nil for the newest. TaskAttempt is the attempt of the Task; nil for the last.
	Attempt, TaskAttempt *int32
	// Container; empty for the first container that is no init container.
	Container string
	// Previous reads the run of the container before its last one.
	Previous bool
	// Since leaves out older lines; zero for none.
	Since time.Time
	// TailLines is how many lines are read from the end; negative for all.
	TailLines int64
	// Timestamps puts the time before each line.
	Timestamps bool
}

// Log opens a log of a Task. The caller closes it.
func (c *Client) Log(ctx context.Context, namespace, name, role string, index int32, q LogQuery) (io.ReadCloser, error) {
	parameters := Filter{UID: q.UID, Attempt: q.Attempt, Since: q.Since}.parameters()
	for name, set := range map[string]bool{"previous": q.Previous, "timestamps": q.Timestamps} {
		if set {
			parameters.Set(name, "true")
		}
	}
	if q.TaskAttempt != nil {
		parameters.Set("taskAttempt", strconv.Itoa(int(*q.TaskAttempt)))
	}
	if q.Container != "" {
		parameters.Set("container", q.Container)
	}
	if q.TailLines >= 0 {
		parameters.Set("tailLines", strconv.FormatInt(q.TailLines, 10))
	}
	answer, err := c.open(ctx, []string{"frameworks", namespace, name, "tasks", role, strconv.Itoa(int(index)), "log"}, parameters, "text/plain")
	if err != nil {
		return nil, err
	}
	return answer.Body, nil
}

// Around reads the lines of all Tasks of an attempt of a Framework that are at most a window away from a time, in the order of their
// times. If there are many, they are the nearest ones.
func (c *Client) Around(ctx context.Context, namespace, name, uid string, attempt int32, at time.Time, window time.Duration) ([]historyapi.LogLine, error) {
	parameters := url.Values{"attempt": {strconv.Itoa(int(attempt))}, "time": {at.UTC().Format(time.RFC3339Nano)}, "window": {window.String()},
		"limit": {strconv.Itoa(mostPerPage)}}
	if uid != "" {
		parameters.Set("uid", uid)
	}
	var page historyapi.Page[historyapi.LogLine]
	err := c.get(ctx, []string{"frameworks", namespace, name, "around"}, parameters, &page)
	return page.Items, err
}
