package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	protobufs "k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// manyCauses is the API server's answer to a template with n wrong fields.
func manyCauses(n int) *apierrors.StatusError {
	var causes []metav1.StatusCause
	var texts []string
	for i := range n {
		c := metav1.StatusCause{Type: metav1.CauseTypeFieldValueRequired, Message: "Required value", Field: fmt.Sprintf("spec.containers[0].ports[%d].containerPort", i)}
		causes, texts = append(causes, c), append(texts, c.Field+": "+c.Message)
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonInvalid, Code: 422,
		Message: `Pod "a-w-0" is invalid: [` + strings.Join(texts, ", ") + "]", Details: &metav1.StatusDetails{Name: "a-w-0", Kind: "Pod", Causes: causes}}}
}

// A shortened refusal keeps the code, the reason and the first causes, and mentions that there are more.
func TestShortenedAnswer(t *testing.T) {
	for _, n := range []int{100, 10_000} {
		long := manyCauses(n)
		short := new(apierrors.StatusError)
		if !errors.As(shortened(long), &short) {
			t.Fatal("it is no answer any more")
		}
		s := short.ErrStatus
		if s.Code != 422 || s.Reason != metav1.StatusReasonInvalid || s.Details.Name != "a-w-0" || len(JSON(s)) > longestAnswer {
			t.Errorf("%d bytes: %+v", len(JSON(s)), s)
		}
		last := len(s.Details.Causes) - 1
		if want := fmt.Sprintf("and %d more", n-last); last < 3 || s.Details.Causes[0] != long.ErrStatus.Details.Causes[0] || s.Details.Causes[last].Message != want {
			t.Errorf("causes: %+v", s.Details.Causes)
		}
		if !strings.HasPrefix(s.Message, `Pod "a-w-0" is invalid: [spec.containers[0].ports[0]`) || !strings.HasSuffix(s.Message, " more bytes)") {
			t.Errorf("message: %s", s.Message)
		}
	}
	if few := manyCauses(5); shortened(few) != error(few) {
		t.Error("a short answer was changed")
	}
	if other := errors.New(strings.Repeat("x", 9000)); shortened(other) != other {
		t.Error("another error was changed")
	}
}

// FuzzShortened: any answer becomes a short one with the same code.
func FuzzShortened(f *testing.F) {
	f.Add("message", "Invalid", "a", "field", 3)
	f.Add(strings.Repeat("<ü>", 3000), strings.Repeat("R", 5000), strings.Repeat("n", 5000), strings.Repeat("\x00", 3000), 3)
	f.Add("", "", "", "x", 100_000)
	f.Fuzz(func(t *testing.T, message, reason, name, field string, causes int) {
		s := metav1.Status{Code: 422, Message: message, Reason: metav1.StatusReason(reason), Details: &metav1.StatusDetails{Name: name, Kind: name}}
		for range min(max(causes, 0), 1000) {
			s.Details.Causes = append(s.Details.Causes, metav1.StatusCause{Field: field, Message: message})
		}
		short := new(apierrors.StatusError)
		if !errors.As(shortened(&apierrors.StatusError{ErrStatus: s}), &short) || short.ErrStatus.Code != 422 || len(JSON(short.ErrStatus)) > longestAnswer {
			t.Errorf("%d bytes of %d are left: %+v", len(JSON(short.ErrStatus)), len(JSON(s)), short)
		}
	})
}

// No more of an error body is read than is useful; any other body is read whole.
func TestLongErrorBodies(t *testing.T) {
	long := manyCauses(100_000).ErrStatus
	long.Kind, long.APIVersion = "Status", "v1"
	var packed strings.Builder
	require.NoError(t, protobufs.NewSerializer(nil, nil).Encode(&long, &packed))
	bodies := map[string]string{"json": string(JSON(long)), "protobuf": packed.String(), "text": strings.Repeat("Pod \"a-w-0\" is invalid: x", 9999)}
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			var code, written atomic.Int64
			code.Store(http.StatusUnprocessableEntity)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(int(code.Load()))
				n, _ := w.Write([]byte(body))
				written.Store(int64(n))
			}))
			defer server.Close()
			get := func() []byte {
				answer, err := (&http.Client{Transport: shortErrors{&http.Transport{}}}).Get(server.URL)
				require.NoError(t, err)
				defer answer.Body.Close()
				got, err := io.ReadAll(answer.Body)
				if err != nil || int64(answer.StatusCode) != code.Load() {
					t.Fatal(answer.StatusCode, err)
				}
				return got
			}
			var status metav1.Status
			if err := json.Unmarshal(get(), &status); err != nil || status.Code != 422 || status.Reason != metav1.StatusReasonInvalid || status.Kind != "Status" {
				t.Errorf("got %+v, %v", status, err)
			}
			if !strings.Contains(status.Message, `Pod`) || !strings.Contains(status.Message, "is invalid") || len(status.Message) > longestAnswer {
				t.Errorf("message: %q", status.Message)
			}
			code.Store(http.StatusOK)
			if got := get(); len(got) != len(body) {
				t.Errorf("%d of %d bytes of what is no error, %d written", len(got), len(body), written.Load())
			}
		})
	}
}
