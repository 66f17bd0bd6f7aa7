package page

import (
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

func ask(path string, headers ...string) *http.Response {
	r := httptest.NewRequest(http.MethodGet, path, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	Handler(http.NotFoundHandler()).ServeHTTP(w, r)
	return w.Result()
}

// Each file is served with its type and a strict policy, once, and compressed for clients that accept it.
func TestFiles(t *testing.T) {
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/static/page.js": "text/javascript; charset=utf-8", "/static/page.css": "text/css; charset=utf-8",
		"/static/icon.svg": "image/svg+xml", "/static/vendor/htm.LICENSE": "text/plain; charset=utf-8"} {
		plain := ask(path)
		require.Equal(t, http.StatusOK, plain.StatusCode, path)
		require.Equal(t, kind, plain.Header.Get("Content-Type"), path)
		require.Contains(t, plain.Header.Get("Content-Security-Policy"), "default-src 'self'")
		require.NotContains(t, plain.Header.Get("Content-Security-Policy"), "unsafe")
		require.Equal(t, "nosniff", plain.Header.Get("X-Content-Type-Options"))
		body, err := io.ReadAll(plain.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusNotModified, ask(path, "If-None-Match", plain.Header.Get("ETag")).StatusCode, path)
		if zipped := ask(path, "Accept-Encoding", "gzip"); zipped.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(zipped.Body)
			require.NoError(t, err)
			again, err := io.ReadAll(z)
			require.NoError(t, err)
			require.Equal(t, body, again, path)
		}
	}
	for _, path := range []string{"/static/", "/static/none.js", "/static/../doc.go", "/api/v1/frameworks"} {
		require.Equal(t, http.StatusNotFound, ask(path).StatusCode, path)
	}
}

// The page names each module once, so that no module is found only after another one was read.
func TestPreloads(t *testing.T) {
	body, err := io.ReadAll(ask("/").Body)
	require.NoError(t, err)
	for name := range sources(t) {
		want := 0
		if strings.HasSuffix(name, ".js") {
			want = 1
		}
		require.Equal(t, want, strings.Count(string(body), `<link rel="modulepreload" href="`+name+`">`), name)
	}
}

// All files together stay small: compressed, as browsers take them, without the licences.
func TestSize(t *testing.T) {
	sum := 0
	for name, text := range sources(t) {
		f := newFile(name, []byte(text))
		sum += len(f.zipped)
		if f.zipped == nil {
			sum += len(f.plain)
		}
	}
	require.Less(t, sum, 150<<10)
}

// No file makes markup of texts, runs texts as code, or names another host. Modules of others are looked at for the last two: the policy
// forbids them to load anything.
func TestNothingMakesMarkup(t *testing.T) {
	markup := regexp.MustCompile(`innerHTML|outerHTML|insertAdjacentHTML|document\.write|dangerouslySetInnerHTML|DOMParser|createContextualFragment|srcdoc`)
	code := regexp.MustCompile(`\beval\(|new Function\(`)
	host := regexp.MustCompile(`https?://[^\s'"]+`)
	for name, text := range sources(t) {
		if !strings.Contains(name, "/vendor/") {
			require.NotRegexp(t, markup, text, name)
			for _, found := range host.FindAllString(text, -1) {
				require.Equal(t, "http://www.w3.org/2000/svg", found, name)
			}
		}
		require.NotRegexp(t, code, text, name)
	}
	require.NotRegexp(t, `<script(?:[^>]*)>[^<]|<style|\son\w+=`, sources(t)["static/index.html"], "nothing is inline")
}

// The page knows the same codes as ended by others as the controller.
func TestCodesOfOthers(t *testing.T) {
	found := regexp.MustCompile(`endedByOthers = new Set\(\[([^\]]*)\]\)`).FindStringSubmatch(sources(t)["static/outcome.js"])
	require.NotNil(t, found)
	var want []string
	for _, e := range completion.Table() {
		if e.EndedByOthers {
			want = append(want, fmt.Sprint(e.Code))
		}
	}
	got := strings.Split(found[1], ", ")
	slices.Sort(want)
	slices.Sort(got)
	require.Equal(t, want, got)
}

// sources returns the files but the licences.
func sources(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(embedded, "static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(name, ".LICENSE") {
			return err
		}
		text, err := embedded.ReadFile(name)
		all[name] = string(text)
		return err
	}))
	return all
}
