package kubectl

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// C1 controls are controls as C0 are, and controls of the text direction make one text look like another.
func TestOnOneLine(t *testing.T) {
	for name, text := range map[string]string{
		"ESC": "\x1b]0;title\a", "CSI": "\u009b2J", "OSC": "\u009d0;title\u009c", "DCS": "\u0090q", "APC": "\u009fx", "DEL": "\x7f",
		"NEL": "a\u0085Done: all is well", "line separator": "a\u2028b", "paragraph separator": "a\u2029b",
		"override": "\u202egnp.exe", "isolate": "\u2066x\u2069", "mark": "\u200f", "Arabic mark": "\u061c", "no UTF-8": "\x9b2J",
	} {
		got := onOneLine(text)
		if got == text {
			t.Errorf("%s is left as it is: %q", name, got)
		}
		requirePlain(t, got, "")
	}
	for _, text := range []string{"Zürich, 東京, עברית, العربية", "👩🏽‍🚀 fine"} {
		if got := onOneLine(text); got != text {
			t.Errorf("%q is changed to %q", text, got)
		}
	}
}

// Control characters are removed from any text, except ends of lines and tabs, and in logs also colors.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"", "a\tb\n", "\x1b[31mred\x1b[0m\r\n", "\x1b[2J\u009b1;1H", "\u202e\u2028\x9b", "\x1b[\x1b[31mm", "\x1b\x1b[0m[2J"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		requirePlain(t, onOneLine(string(text)), "")
		var out bytes.Buffer
		n, err := plainWriter{&out}.Write(text)
		if n != len(text) || err != nil {
			t.Errorf("%d of %d bytes: %v", n, len(text), err)
		}
		requirePlain(t, out.String(), "\n\t")
		line := colored(string(text))
		body, ended := strings.CutSuffix(line, "\n")
		if !ended {
			t.Errorf("%q does not end", line)
		}
		if strings.Contains(body, "\x1b") && !strings.HasSuffix(body, resetGraphics) {
			t.Errorf("%q leaves its colors behind", body)
		}
		requirePlain(t, graphics.ReplaceAllString(body, ""), "\t")
	})
}

func requirePlain(t *testing.T, text, but string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is no UTF-8", text)
	}
	for _, r := range text {
		if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029) && !strings.ContainsRune(but, r) {
			t.Errorf("%q has %U", text, r)
		}
	}
}

// Errors, warnings and objects of an API server are printed without control characters by every command.
func TestOutputIsPlain(t *testing.T) {
	const evil = `\u001b]0;t\u0007\u009d0;t\u009c\u202e`
	framework := `{"apiVersion":"frameworkcontroller.microsoft.com/v1","kind":"Framework","metadata":{"name":"train` + evil + `","namespace":"default","uid":"u"},"spec":{"executionType":"` + evil + `"},` +
		`"status":{"state":"` + evil + `","attemptStatus":{"completionStatus":{"phrase":"` + evil + `","diagnostics":"` + evil + `","code":1,"type":{"name":"Failed"}},` +
		`"taskRoleStatuses":[{"name":"worker` + evil + `","taskStatuses":[{"index":0,"state":"` + evil + `","attemptStatus":{"podName":"` + evil + `","podIP":"` + evil + `"}}]}]},` +
		`"conditions":[{"type":"Waiting","status":"True","reason":"` + evil + `","message":"` + evil + `"}]}}`
	answer := http.StatusOK
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Add("Warning", "299 - \"\u009d0;t\u009c\u202e\"")
		w.WriteHeader(answer)
		switch {
		case answer != http.StatusOK:
			w.Write([]byte(`{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"` + evil + `"}`))
		case strings.Contains(r.URL.Path, "/events"):
			w.Write([]byte(`{"kind":"EventList","apiVersion":"v1","items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"Framework","name":"train` + evil + `"},"reason":"` + evil + `","message":"` + evil + `","type":"` + evil + `"}]}`))
		case strings.HasSuffix(r.URL.Path, "/frameworks"):
			w.Write([]byte(`{"apiVersion":"frameworkcontroller.microsoft.com/v1","kind":"FrameworkList","metadata":{},"items":[` + framework + `]}`))
		case strings.Contains(r.URL.Path, "/frameworks/"):
			w.Write([]byte(framework))
		default:
			w.Write([]byte(`{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`))
		}
	}))
	defer server.Close()
	config := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(config, nil, 0o600))
	for _, answer = range []int{http.StatusOK, http.StatusForbidden} {
		for _, args := range [][]string{
			{"list"}, {"list", "-o", "wide"}, {"list", "--waiting"}, {"explain", "train"}, {"explain", "train", "worker\u009d"}, {"tree", "train"}, {"tasks", "train"},
			{"tasks", "train", "-o", "wide"}, {"events", "train"}, {"logs", "train"}, {"wait", "train", "--timeout", "1s"}, {"stop", "train"}, {"scale", "train", "worker\u009d=1"},
			{"delete", "train", "--wait=false"}, {"simulate", "--plugin", "/\u009d"}, {"convert", "-f", "/\u009d"}, {"plugins"}, {"no\u009dcommand"}, {"list", "--no\u009dflag"},
		} {
			streams, in, out, errOut := genericiooptions.NewTestIOStreams()
			in.WriteString("n\n")
			Run(context.Background(), streams, append(args, "--kubeconfig", config, "--server", server.URL))
			if out.Len()+errOut.Len() == 0 {
				t.Errorf("%v prints nothing", args)
			}
			t.Run(strings.Join(args, " "), func(t *testing.T) { requirePlain(t, out.String()+errOut.String(), "\n\t") })
		}
	}
}
