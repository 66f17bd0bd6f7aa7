package historyclient

import (
	"encoding/json"
	"net/http"
	"net/http/httputil"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Proxy returns a handler that forwards requests to the server with the credentials of the client. It forwards only the headers about the
// form of the answer, so the server gets neither cookies nor credentials of the sender.
func (c *Client) Proxy() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(c.base)
			r.Out.Header = http.Header{}
			for _, name := range []string{"Accept", "Accept-Encoding", "If-None-Match"} {
				if value := r.In.Header.Get(name); value != "" {
					r.Out.Header.Set(name, value)
				}
			}
		},
		Transport: c.http.Transport,
		ModifyResponse: func(answer *http.Response) error {
			answer.Header.Del("Set-Cookie")
			return nil
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			refused := historyapi.Error{Status: http.StatusBadGateway, Message: "the history server does not answer: " + err.Error()}
			// The way to the server is through the API server, whose refusal is no fault of the way.
			switch {
			case apierrors.IsUnauthorized(err):
				refused = historyapi.Error{Status: http.StatusUnauthorized, Message: err.Error()}
			case apierrors.IsForbidden(err):
				refused = historyapi.Error{Status: http.StatusForbidden, Message: err.Error()}
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(refused.Status)
			_ = json.NewEncoder(w).Encode(refused)
		},
	}
}
