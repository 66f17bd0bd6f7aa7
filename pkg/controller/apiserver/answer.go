package apiserver

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// The API server reports each invalid field, and all of them twice: the answer to a template of 300 KiB can have 17 MB, for
// each of its Tasks.
const (
	// longestErrorBody limits how much of an error answer is read.
	longestErrorBody = 128 << 10
	// longestAnswer limits how much of it is kept, as JSON: as much as a container's termination message.
	longestAnswer = 4 << 10
)

// shortened returns an error of the API server with the beginning of its message and its first causes, and the number of the
// omitted ones. Its reason and code stay. Other errors, and short ones, stay as they are.
func shortened(err error) error {
	answer := new(apierrors.StatusError)
	if !errors.As(err, &answer) || len(JSON(answer.ErrStatus)) <= longestAnswer {
		return err
	}
	for most := longestAnswer / 2; ; most /= 2 {
		short := shortenedStatus(answer.ErrStatus, most)
		if most == 0 || len(JSON(short)) <= longestAnswer {
			return &apierrors.StatusError{ErrStatus: short}
		}
	}
}

// shortenedStatus limits the message to most bytes, and the causes together to the same.
func shortenedStatus(s metav1.Status, most int) metav1.Status {
	s.Message = ShortText(s.Message, most)
	s.Reason = metav1.StatusReason(completion.Cut(string(s.Reason), most))
	if s.Details != nil {
		details := *s.Details
		details.Name, details.Kind = completion.Cut(details.Name, most), completion.Cut(details.Kind, most)
		details.Causes = firstCauses(details.Causes, most)
		s.Details = &details
	}
	return s
}

func firstCauses(causes []metav1.StatusCause, most int) (out []metav1.StatusCause) {
	for i, cause := range causes {
		if most -= len(JSON(cause)); most < 0 {
			return append(out, metav1.StatusCause{Message: fmt.Sprintf("and %d more", len(causes)-i)})
		}
		out = append(out, cause)
	}
	return out
}

// ShortText shortens a text to the given number of bytes, and adds how many were cut.
func ShortText(text string, most int) string {
	short := completion.Cut(text, most)
	if len(short) == len(text) {
		return text
	}
	return fmt.Sprintf("%s... (%d more bytes)", short, len(text)-len(short))
}

// shortErrors limits error answers to longestErrorBody. A longer one becomes a Status with its code and the beginning of its
// text.
type shortErrors struct{ next http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t shortErrors) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := t.next.RoundTrip(q)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		return answer, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, longestErrorBody+1))
	answer.Body.Close()
	if err != nil {
		return nil, err
	}
	if len(body) > longestErrorBody {
		body = JSON(beginningOf(body, answer.StatusCode))
		answer.Header = answer.Header.Clone()
		answer.Header.Set("Content-Type", "application/json")
		answer.Header.Del("Content-Length")
		answer.ContentLength = int64(len(body))
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	return answer, nil
}

// WrappedRoundTripper lets client-go see the transport.
func (t shortErrors) WrappedRoundTripper() http.RoundTripper { return t.next }

// beginningOf returns a Status for the beginning of a long answer, in JSON or protobuf. Its message is the longest text in it.
func beginningOf(body []byte, code int) *metav1.Status {
	status := apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", 0, false)
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
		Status:   metav1.StatusFailure,
		Reason:   status.ErrStatus.Reason,
		Code:     int32(code),
		Message:  fmt.Sprintf("%s... (the answer has more than %d bytes)", completion.Cut(longestText(body), longestAnswer/4), longestErrorBody),
	}
}

func longestText(body []byte) string {
	longest := ""
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }
	for _, text := range strings.FieldsFunc(strings.ToValidUTF8(string(body), "\x00"), control) {
		if len(text) > len(longest) {
			longest = text
		}
	}
	return longest
}

// Diagnose renders the cause of a refusal: the API server's answer as JSON if there is one. It is short enough to be kept for
// each Task.
func Diagnose(cause error) string {
	var status apierrors.APIStatus
	if !errors.As(cause, &status) {
		return ShortText(cause.Error(), longestAnswer)
	}
	return string(JSON(status.Status()))
}
