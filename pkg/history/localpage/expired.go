package localpage

import "net/http"

// adviseExpired adds advice when the server no longer accepts the user's credentials: the page itself has none that it could renew.
func adviseExpired(server http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { server.ServeHTTP(&explaining{ResponseWriter: w}, r) })
}

const expired = "Your credentials have expired, or were revoked: log in to the cluster again. If this page does not go on by itself then, start kubectl framework ui again."

// explaining replaces an answer of the status 401.
type explaining struct {
	http.ResponseWriter
	replaced bool
}

func (w *explaining) WriteHeader(status int) {
	if status != http.StatusUnauthorized {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	for _, name := range []string{"Content-Length", "Content-Encoding", "ETag", "WWW-Authenticate"} {
		w.Header().Del(name)
	}
	w.Header().Set("Cache-Control", "no-store")
	w.replaced = true
	refuseInJSON(w.ResponseWriter, status, expired)
}

func (w *explaining) Write(b []byte) (int, error) {
	if w.replaced {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets streams be flushed.
func (w *explaining) Unwrap() http.ResponseWriter { return w.ResponseWriter }
