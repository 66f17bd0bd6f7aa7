package barrier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
)

// client makes the three requests of a barrier. It does not use the typed client: a thousand barriers may decode at the
// same moment, and need little of the answers.
type client struct {
	http       *http.Client
	collection *url.URL // the Frameworks of the namespace
	name       string
}

const (
	// requestTime is the timeout of a request other than a watch.
	requestTime = 30 * time.Second
	// maxAnswer limits the size of an answer, far above the largest object that the API server stores.
	maxAnswer = 64 << 20
	// mostAfter is the longest pause in seconds that a server can demand: the gang may be complete long before the
	// deadline.
	mostAfter = 30
	plainJSON = "application/json"
	asTable   = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// errNotFound means that the Framework does not exist.
var errNotFound = errors.New("the Framework does not exist")

// refusal is an answer other than a success.
type refusal struct {
	code    int
	message string
	name    string        // name of the object concerned; empty for none
	after   time.Duration // when to try again, at most mostAfter; 0 if the server does not say
}

func (r *refusal) Error() string {
	return fmt.Sprintf("the API server answered %d: %s", r.code, r.message)
}

func refusedWith(err error) int {
	if r := (*refusal)(nil); errors.As(err, &r) {
		return r.code
	}
	return 0
}

// get returns the whole Framework, read consistently.
func (c *client) get(ctx context.Context) (*framework, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body, err := c.request(ctx, c.collection.JoinPath(url.PathEscape(c.name)), nil, plainJSON)
	if err != nil {
		return nil, fmt.Errorf("reading the Framework: %w", err)
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("reading the Framework: %w", err)
	}
	return parseFramework(text)
}

// look returns a row about the Framework instead of the whole object. The list is served from the API server's memory,
// and is as consistent as a get.
func (c *client) look(ctx context.Context) (row, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	body, err := c.request(ctx, c.collection, url.Values{
		"fieldSelector": {fields.OneTermEqualSelector("metadata.name", c.name).String()},
		"includeObject": {"Metadata"},
	}, asTable)
	if err != nil {
		return row{}, fmt.Errorf("looking for the Framework: %w", err)
	}
	defer body.Close()
	var table metav1.Table
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&table); err != nil {
		return row{}, fmt.Errorf("looking for the Framework: %w", err)
	}
	if len(table.Rows) == 0 {
		return row{}, errNotFound
	}
	return newRow(&table)
}

// longestSilence is how long a watch may be silent. As a rule, the API server sends a bookmark every minute; a server
// that hangs on a live machine sends none.
const longestSilence = 150 * time.Second

var (
	// errNotBegun means that the server has not confirmed the watch.
	errNotBegun = fmt.Errorf("no answer within %s", requestTime)
	errSilent   = fmt.Errorf("no sign of life for %s", longestSilence)
)

// watch calls visit with every event that matches the gate's selector, beginning with current matches. It returns nil
// when the server ends the watch, or the error of visit.
func (c *client) watch(ctx context.Context, gate string, last time.Duration, visit func(event) error) error {
	// The server ends it in time. If it does not, the client does.
	ctx, cancel := context.WithTimeout(ctx, last+requestTime)
	defer cancel()
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	begin := time.AfterFunc(requestTime, func() { giveUp(errNotBegun) })
	defer begin.Stop()
	body, err := c.request(ctx, c.collection, url.Values{
		"watch":               {"true"},
		"fieldSelector":       {fields.OneTermEqualSelector("metadata.name", c.name).String() + "," + gate},
		"timeoutSeconds":      {strconv.Itoa(int(last.Seconds()))},
		"allowWatchBookmarks": {"true"},
	}, plainJSON)
	if err != nil {
		return fmt.Errorf("watching the Framework: %w", err)
	}
	begin.Stop()
	defer body.Close()
	silence := time.AfterFunc(longestSilence, func() { giveUp(errSilent) })
	defer silence.Stop()
	return readEvents(heard{body, silence}, visit)
}

// heard postpones the timeout of a silence whenever something arrives.
type heard struct {
	io.Reader
	silence *time.Timer
}

func (h heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.silence.Reset(longestSilence)
	}
	return n, err
}

// request returns the body of a successful answer, which the caller closes.
func (c *client) request(ctx context.Context, where *url.URL, query url.Values, accept string) (io.ReadCloser, error) {
	to := *where
	to.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", accept)
	response, err := c.http.Do(req)
	if err != nil {
		return nil, err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body, nil
	}
	defer response.Body.Close()
	return nil, newRefusal(response)
}

func newRefusal(response *http.Response) *refusal {
	r := &refusal{code: response.StatusCode, message: http.StatusText(response.StatusCode)}
	text, _ := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	var status metav1.Status
	if json.Unmarshal(text, &status) == nil && status.Message != "" {
		r.message = status.Message
		if status.Details != nil {
			r.name = status.Details.Name
		}
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		r.after = time.Duration(min(seconds, mostAfter)) * time.Second
	}
	return r
}
