package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Limits of an answer of the server that is read, in bytes.
const (
	maxAnswer  = 4 << 20
	maxMessage = 1 << 10
)

// refusedError is the answer that a request is wrong for good.
type refusedError struct{ message string }

func (e *refusedError) Error() string { return "the server refuses the request: " + e.message }

// awayError means that the server may take the records later.
type awayError struct {
	cause      error
	status     int           // HTTP status; 0 if there was no answer
	retryAfter time.Duration // set by the server; 0 if it was not
}

func (e *awayError) Error() string { return e.cause.Error() }

func (e *awayError) Unwrap() error { return e.cause }

func away(format string, args ...any) *awayError {
	return &awayError{cause: fmt.Errorf(format, args...)}
}

// post sends one request, and returns the keys that the server has stored. The error is a *refusedError or an *awayError.
func (c *client) post(ctx context.Context, records []*pluginpb.Record) (stored []string, err error) {
	response, err := c.ask(ctx, c.spec.records, &pluginpb.StoreRequest{Records: records})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	stored, err = readStored(response.Body)
	if err == nil && len(without(records, stored)) == len(records) {
		// An empty answer is a valid message. Somebody between here and the server may give it, or a server that has given up.
		return nil, away("the server's answer has none of the %d records", len(records))
	}
	return stored, err
}

// ask sends a message, and returns the answer of the server, which is 200. The error is a *refusedError or an *awayError.
func (c *client) ask(ctx context.Context, url string, message proto.Message) (*http.Response, error) {
	body, err := packed(message)
	if err != nil {
		return nil, &refusedError{err.Error()}
	}
	request, err := c.request(ctx, url, body)
	if err != nil {
		return nil, &awayError{cause: err}
	}
	connected, err := c.connection.current()
	if err != nil {
		return nil, &awayError{cause: err}
	}
	response, err := connected.Do(request)
	if err != nil {
		return nil, away("asking the server: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		defer response.Body.Close()
		return nil, problem(response)
	}
	return response, nil
}

func packed(message proto.Message) ([]byte, error) {
	plain, err := proto.Marshal(message)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(plain); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func (c *client) request(ctx context.Context, url string, body []byte) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("Content-Encoding", "gzip")
	r.Header.Set("X-Cluster", c.spec.Cluster)
	if c.spec.plain {
		return r, nil
	}
	// Read each time: the kubelet replaces a projected token long before it expires.
	token, err := os.ReadFile(c.spec.TokenFile)
	if err != nil {
		return nil, fmt.Errorf("tokenFile: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	return r, nil
}

// problem is the error of an answer other than 200. An answer that a correction of the configuration or of the server may change,
// such as 403 or 404, must not cost records.
func problem(r *http.Response) error {
	message := r.Status
	if r.StatusCode >= 300 && r.StatusCode < 400 {
		message += fmt.Sprintf(" (redirects are not followed, here to %.200q)", r.Header.Get("Location"))
	} else if text, err := io.ReadAll(io.LimitReader(r.Body, maxMessage)); err == nil && len(text) > 0 {
		message += fmt.Sprintf(": %q", text)
	}
	if r.StatusCode == http.StatusRequestEntityTooLarge || r.StatusCode == http.StatusBadRequest && ofServer(r) {
		return &refusedError{message}
	}
	err := away("the server answers %s", message)
	err.status = r.StatusCode
	if seconds, parseErr := strconv.Atoi(r.Header.Get("Retry-After")); parseErr == nil && seconds > 0 {
		err.retryAfter = time.Duration(min(seconds, int(maxRetryAfter/time.Second))) * time.Second
	}
	return err
}

// ofServer reports whether an answer is an error of the history server, whose errors are JSON. A proxy answers 400 for reasons of
// its own, such as a header that is too long.
func ofServer(r *http.Response) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// maxRetryAfter limits the pause that a server may ask for.
const maxRetryAfter = time.Minute

func readStored(body io.Reader) ([]string, error) {
	b, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if err != nil {
		return nil, away("reading the server's answer: %w", err)
	}
	if len(b) > maxAnswer {
		return nil, away("the server's answer has more than %d bytes", maxAnswer)
	}
	var answer pluginpb.StoreResponse
	if err := proto.Unmarshal(b, &answer); err != nil {
		return nil, away("reading the server's answer: %w", err)
	}
	return answer.GetKeys(), nil
}
