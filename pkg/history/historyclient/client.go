package historyclient

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Client reads one history server. It is safe for concurrent use.
type Client struct {
	base  *url.URL
	http  *http.Client
	close func()
}

// Close ends the forwarded port, if there is one.
func (c *Client) Close() { c.close() }

// Refusal is an answer of the server that is not a success.
type Refusal struct {
	// Status is the status code of HTTP.
	Status int
	// Message is the server's, and may hold any text.
	Message string
}

func (r *Refusal) Error() string { return r.Message }

// Framework reads a Framework with its attempts: the newest of its name, or the one with a UID if that is not empty.
func (c *Client) Framework(ctx context.Context, namespace, name, uid string) (d historyapi.FrameworkDetail, err error) {
	err = c.get(ctx, []string{"frameworks", namespace, name}, Filter{UID: uid}.parameters(), &d)
	return d, err
}

// Frameworks visits the Frameworks of a filter, the newest first, at most limit of them if it is not 0. More reports whether there are
// others.
func (c *Client) Frameworks(ctx context.Context, of Filter, limit int, visit func(historyapi.Framework) error) (more bool, err error) {
	return each(ctx, c, []string{"frameworks"}, of.parameters(), limit, visit)
}

// TasksOf visits the attempts of the Tasks of a Framework.
func (c *Client) TasksOf(ctx context.Context, namespace, name string, of Filter, limit int, visit func(historyapi.TaskAttempt) error) (more bool, err error) {
	return each(ctx, c, []string{"frameworks", namespace, name, "tasks"}, of.parameters(), limit, visit)
}

// Tasks visits the attempts of the Tasks of all Frameworks of a filter.
func (c *Client) Tasks(ctx context.Context, of Filter, limit int, visit func(historyapi.TaskAttempt) error) (more bool, err error) {
	return each(ctx, c, []string{"tasks"}, of.parameters(), limit, visit)
}

// Verdicts visits the judgments on failed Pods, the newest first.
func (c *Client) Verdicts(ctx context.Context, of Filter, limit int, visit func(historyapi.Verdict) error) (more bool, err error) {
	return each(ctx, c, []string{"verdicts"}, of.parameters(), limit, visit)
}

// Shadow compares classifiers and rules in shadow with the judgments that count.
func (c *Client) Shadow(ctx context.Context, of Filter) (r historyapi.ShadowReport, err error) {
	err = c.get(ctx, []string{"shadow"}, of.parameters(), &r)
	return r, err
}

// ShadowVerdicts visits the answers of classifiers and rules in shadow, the newest first.
func (c *Client) ShadowVerdicts(ctx context.Context, of Filter, limit int, visit func(historyapi.ShadowVerdict) error) (more bool, err error) {
	return each(ctx, c, []string{"shadow", "verdicts"}, of.parameters(), limit, visit)
}

// FrameworkObject reads a Framework as it was last seen, as JSON.
func (c *Client) FrameworkObject(ctx context.Context, namespace, name, uid string) (object json.RawMessage, err error) {
	err = c.get(ctx, []string{"frameworks", namespace, name, "object"}, Filter{UID: uid}.parameters(), &object)
	return object, err
}

// Report reads a report with a row for each group. By is namespace, code, node, role, rule, or label:KEY.
func (c *Client) Report(ctx context.Context, by string, of Filter) (r historyapi.Report, err error) {
	parameters := of.parameters()
	parameters.Set("by", by)
	err = c.get(ctx, []string{"report"}, parameters, &r)
	return r, err
}

// mostPerPage is the server's limit.
const mostPerPage = 1000

func each[T any](ctx context.Context, c *Client, path []string, parameters url.Values, limit int, visit func(T) error) (more bool, err error) {
	visited := 0
	for {
		size := mostPerPage
		if limit > 0 {
			size = min(size, limit-visited)
		}
		parameters.Set("limit", strconv.Itoa(size))
		var page historyapi.Page[T]
		if err := c.get(ctx, path, parameters, &page); err != nil {
			return false, err
		}
		for _, item := range page.Items {
			if limit > 0 && visited == limit {
				return true, nil
			}
			if err := visit(item); err != nil {
				return false, err
			}
			visited++
		}
		switch {
		case page.Next == "":
			return false, nil
		case limit > 0 && visited == limit:
			return true, nil
		case page.Next == parameters.Get("continue"):
			return false, fmt.Errorf("the history server %s returns the same page again", c.base)
		}
		parameters.Set("continue", page.Next)
	}
}

// mostBytes limits an answer. A page of Task attempts has about 1 MiB.
const mostBytes = 64 << 20

func (c *Client) get(ctx context.Context, path []string, parameters url.Values, into any) error {
	answer, err := c.open(ctx, path, parameters, "application/json")
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return fmt.Errorf("reading the answer of the history server %s: %w", c.base, err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("%s does not answer as a history server does: %w", c.base, err)
	}
	return nil
}

// open returns an answer that is a success. The caller closes its body.
func (c *Client) open(ctx context.Context, path []string, parameters url.Values, accept string) (*http.Response, error) {
	at := c.base.JoinPath("api", "v1")
	for _, part := range path {
		if part == "" || part == "." || part == ".." {
			return nil, fmt.Errorf("%q is not a name", part) // as a part of a path it would lead elsewhere
		}
		at = at.JoinPath(url.PathEscape(part))
	}
	at.RawQuery = parameters.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	answer, err := c.http.Do(request)
	if err != nil || answer.StatusCode == http.StatusOK {
		return answer, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, mostBytes))
	if err != nil {
		return nil, fmt.Errorf("reading the answer of the history server %s: %w", c.base, err)
	}
	return nil, refusal(answer.StatusCode, body)
}

// refusal reads an error. A proxy in between may send a page of its own, which is ignored.
func refusal(status int, body []byte) *Refusal {
	var said historyapi.Error
	if json.Unmarshal(body, &said) != nil || said.Message == "" {
		said.Message = fmt.Sprintf("the answer is %d %s", status, http.StatusText(status))
	}
	return &Refusal{status, said.Message}
}
