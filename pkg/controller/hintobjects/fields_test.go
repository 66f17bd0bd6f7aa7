package hintobjects

import (
	"errors"
	"net/http"
	"testing"
)

// A field missing from the Pod that the API server would create is reported; a refusal shows nothing about fields, and no
// unnecessary request is sent.
func TestHintFields(t *testing.T) {
	t.Parallel()
	const without = "the API server drops spec.b from Pods: it does not know the field, or its feature gate is off"
	for name, tt := range map[string]struct {
		fields []string
		status int
		answer string
		want   string
		asked  bool
	}{
		"kept":          {[]string{"a", "b"}, 201, `{"spec": {"a": {}, "b": {"c": 1}}}`, "", true},
		"dropped":       {[]string{"a", "b"}, 201, `{"spec": {"a": {}}}`, without, true},
		"refused":       {[]string{"b"}, 422, `{"kind": "Status", "message": "no"}`, "", true},
		"no such thing": {[]string{"b"}, 201, `[]`, "", true},
		"no field":      {nil, 201, `{}`, "", false},
		"empty anyway":  {[]string{"b", "none", "off", "list", "zero", "missing"}, 201, `{"spec": {"b": {}}}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := false
			client := restClientOf(t, func(w http.ResponseWriter, r *http.Request) {
				asked = true
				if got := r.Method + " " + r.URL.Path + " " + r.URL.Query().Get("dryRun"); got != "POST /api/v1/namespaces/n/pods All" {
					t.Errorf("asked is %s", got)
				}
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(tt.status)
				_, _ = w.Write([]byte(tt.answer))
			})
			f := Fields{Client: client, Namespace: "n", Names: tt.fields, Build: func() ([]byte, error) {
				return []byte(`{"spec": {"a": {"x": 1}, "b": {"c": 1}, "none": {}, "off": false, "list": [], "zero": 0}}`), nil
			}}
			err := f.Check(t.Context())
			var said string
			if err != nil {
				said = err.Error()
			}
			if notMade := new(Error); said != tt.want || asked != tt.asked || err != nil && !errors.As(err, &notMade) {
				t.Errorf("got %q of type %T, asked: %t", said, err, asked)
			}
		})
	}
}
