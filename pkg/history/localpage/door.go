package localpage

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// keyParameter of the address has the secret that opens the door once.
const keyParameter = "key"

// door lets one browser in.
type door struct {
	host    string // address of the listener, with its port
	cookie  string // its name: cookies do not distinguish ports
	session string
	next    http.Handler

	lock sync.Mutex
	key  string // empty after it was used
}

// NewDoor returns a handler before next, for a listener with this host and port, and the address that opens it. A view of the page may be
// added to the address after a #.
func NewDoor(host string, next http.Handler) (handler http.Handler, address string) {
	_, port, err := net.SplitHostPort(host)
	if err != nil {
		panic(err) // the listener's own address
	}
	d := &door{host: host, cookie: "framework-ui-" + port, session: rand.Text(), key: rand.Text(), next: next}
	at := url.URL{Scheme: "http", Host: host, Path: "/", RawQuery: url.Values{keyParameter: {d.key}}.Encode()}
	return d, at.String()
}

func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	switch origin, site := r.Header.Get("Origin"), r.Header.Get("Sec-Fetch-Site"); {
	case r.Host != d.host:
		refuse(w, r, http.StatusMisdirectedRequest, "This is http://"+d.host+" only.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		refuse(w, r, http.StatusMethodNotAllowed, "This page only reads.")
	case origin != "" && origin != "http://"+d.host:
		refuse(w, r, http.StatusForbidden, "Pages of other origins get no answer.")
	case r.URL.Path == "/" && r.URL.Query().Has(keyParameter):
		d.open(w, r)
	case !d.knows(r):
		refuse(w, r, http.StatusUnauthorized, "Open the address that kubectl framework ui has printed. It opens one browser, once: run the command again for another one.")
	case site != "" && site != "same-origin" && site != "none":
		refuse(w, r, http.StatusForbidden, "Pages of other sites get no answer.")
	default:
		d.next.ServeHTTP(w, r)
	}
}

// open exchanges the key for the cookie. A browser with the cookie may use the same address again.
func (d *door) open(w http.ResponseWriter, r *http.Request) {
	if !d.use(r.URL.Query().Get(keyParameter)) && !d.knows(r) {
		refuse(w, r, http.StatusUnauthorized, "This address was used already, or is of another run of the command: run kubectl framework ui again.")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: d.cookie, Value: d.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, "/", http.StatusSeeOther) // keeps the view after the #
}

func (d *door) use(key string) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	if d.key == "" || subtle.ConstantTimeCompare([]byte(key), []byte(d.key)) == 0 {
		return false
	}
	d.key = ""
	return true
}

func (d *door) knows(r *http.Request) bool {
	cookie, err := r.Cookie(d.cookie)
	return err == nil && subtle.ConstantTimeCompare([]byte(cookie.Value), []byte(d.session)) == 1
}

// refuse answers requests of the page with JSON, as a history server does, and others with a text to read.
func refuse(w http.ResponseWriter, r *http.Request, status int, message string) {
	w.Header().Set("Cache-Control", "no-store")
	if strings.HasPrefix(r.URL.Path, "/api/") || strings.HasPrefix(r.URL.Path, "/live/") {
		refuseInJSON(w, status, message)
		return
	}
	http.Error(w, message, status)
}

func refuseInJSON(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(historyapi.Error{Status: status, Message: message})
}
