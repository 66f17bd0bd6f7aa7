package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
)

//go:embed static
var embedded embed.FS

// policy lets the page load files of its own server, and nothing else. Styles that scripts set are no inline styles.
const policy = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'"

// file is a file with its compressed form; nil if that is no shorter.
type file struct {
	plain, zipped []byte
	kind, tag     string
}

// Handler serves the page at "/" and its files below "/static/". Other paths are left to next.
func Handler(next http.Handler) http.Handler {
	files := map[string]file{}
	err := fs.WalkDir(embedded, "static", func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		plain, err := embedded.ReadFile(name)
		files["/"+name] = newFile(name, plain)
		return err
	})
	if err != nil {
		panic(err) // the files are in the program
	}
	files["/"] = newFile("index.html", preloading(files["/static/index.html"].plain, files))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f, ok := files[r.URL.Path]; ok {
			f.serve(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// preloading names all modules in the page, so that a browser asks for them at once, and not for one level of imports after the other.
func preloading(index []byte, files map[string]file) []byte {
	var links bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if strings.HasSuffix(name, ".js") {
			fmt.Fprintf(&links, "<link rel=\"modulepreload\" href=%q>\n", strings.TrimPrefix(name, "/")) // relative, as the page may be below a path
		}
	}
	return bytes.Replace(index, []byte("</head>"), append(links.Bytes(), "</head>"...), 1)
}

func newFile(name string, plain []byte) file {
	sum := sha256.Sum256(plain)
	f := file{plain: plain, kind: kindOf(name), tag: `"` + hex.EncodeToString(sum[:16]) + `"`}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		panic(err) // the level is valid
	}
	_, _ = z.Write(plain) // into memory
	_ = z.Close()
	if b.Len() < len(plain) {
		f.zipped = b.Bytes()
	}
	return f
}

// kindOf does not depend on the tables of the system, as mime.TypeByExtension does.
func kindOf(name string) string {
	switch extension := path.Ext(name); extension {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".LICENSE":
		return "text/plain; charset=utf-8"
	default:
		return mime.TypeByExtension(extension)
	}
}

func (f file) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-cache") // it may be kept, but is asked for each time, so that a new server shows its own page
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.tag)
	if strings.Contains(r.Header.Get("If-None-Match"), f.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body := f.plain
	if f.zipped != nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		body = f.zipped
	}
	h.Set("Content-Type", f.kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
