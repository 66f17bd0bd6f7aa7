package kubectl

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// evil has controls of a terminal, as text of JSON: it sets the title, with both forms of the control, and turns the direction of text.
const evil = `\u001b]0;t\u0007\u009d0;t\u009c\u202e`

// hostileCluster is an API server whose texts all have controls: in objects, or in errors if it refuses.
type hostileCluster struct{ refuses bool }

func (c *hostileCluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := "train"
	if asked := r.URL.Path + r.URL.Query().Get("fieldSelector"); strings.Contains(asked, "ending") {
		name = "ending"
	}
	framework := `{"apiVersion":"frameworkcontroller.microsoft.com/v1","kind":"Framework","metadata":{"name":"` + name + evil + `","namespace":"default","uid":"u"},"spec":{"executionType":"` + evil + `"},` +
		`"status":{"state":"` + evil + `","attemptStatus":{"completionStatus":{"phrase":"` + evil + `","diagnostics":"` + evil + `","code":1,"type":{"name":"Failed"}},` +
		`"taskRoleStatuses":[{"name":"worker` + evil + `","taskStatuses":[{"index":0,"state":"` + evil + `","attemptStatus":{"podName":"` + evil + `","podIP":"` + evil + `"}}]}]},` +
		`"conditions":[{"type":"Waiting","status":"True","reason":"` + evil + `","message":"` + evil + `"}]}}`
	w.Header().Set("Content-Type", "application/json")
	w.Header().Add("Warning", "299 - \"\u009d0;t\u009c\u202e\"")
	switch {
	case c.refuses:
		w.WriteHeader(http.StatusForbidden)
		io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"`+evil+`"}`)
	case strings.Contains(r.URL.Path, "/events"):
		io.WriteString(w, `{"kind":"EventList","apiVersion":"v1","items":[{"metadata":{"name":"e"},"involvedObject":{"kind":"Framework","name":"train`+evil+`"},"reason":"`+evil+`","message":"`+evil+`","type":"`+evil+`"}]}`)
	case strings.Contains(r.URL.Path, "/services"):
		io.WriteString(w, `{"kind":"ServiceList","apiVersion":"v1","items":[{"metadata":{"name":"a`+evil+`"}},{"metadata":{"name":"b`+evil+`"}}]}`)
	case r.URL.Query().Get("watch") != "" && name == "ending":
		other := strings.Replace(framework, `"state":"`, `"state":"Other`, 1)
		io.WriteString(w, `{"type":"MODIFIED","object":`+other+`}`+"\n"+`{"type":"DELETED","object":`+other+`}`+"\n")
	case r.Method == http.MethodPost, strings.Contains(r.URL.Path, "/frameworks/"):
		io.WriteString(w, framework)
	case strings.HasSuffix(r.URL.Path, "/frameworks"):
		io.WriteString(w, `{"apiVersion":"frameworkcontroller.microsoft.com/v1","kind":"FrameworkList","metadata":{},"items":[`+framework+`]}`)
	default:
		io.WriteString(w, `{"kind":"PodList","apiVersion":"v1","metadata":{},"items":[]}`)
	}
}

// hostileHistory is a history server that answers as pastServer, with controls in all texts, or in errors alone if it refuses.
type hostileHistory struct {
	pastServer
	refuses bool
}

func (h *hostileHistory) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h.refuses {
		h.refuse(w, http.StatusForbidden, decoded(h.T, evil))
		return
	}
	answer := httptest.NewRecorder()
	h.pastServer.ServeHTTP(answer, r)
	w.WriteHeader(answer.Code)
	var body any
	if json.Unmarshal(answer.Body.Bytes(), &body) == nil {
		h.answer(w, h.spoiled("", body))
		return
	}
	for line := range strings.Lines(answer.Body.String()) { // of a log
		io.WriteString(w, decoded(h.T, evil)+line)
	}
}

// spoiled adds controls to all texts and to the keys of maps, except to times, places in lists, and types, which commands understand.
func (h *hostileHistory) spoiled(key string, value any) any {
	switch v := value.(type) {
	case string:
		if _, err := time.Parse(time.RFC3339, v); err == nil || key == "next" || key == "type" {
			return v
		}
		return v + decoded(h.T, evil)
	case []any:
		for i := range v {
			v[i] = h.spoiled(key, v[i])
		}
	case map[string]any:
		all := map[string]any{}
		for name, each := range v {
			shown := name
			switch key {
			case "facts", "labels", "resourceSeconds", "lostResourceSeconds":
				shown += decoded(h.T, evil)
			}
			all[shown] = h.spoiled(name, each)
		}
		return all
	}
	return value
}

func decoded(t *testing.T, text string) (plain string) {
	require.NoError(t, json.Unmarshal([]byte(`"`+text+`"`), &plain))
	return plain
}

// Errors, warnings, objects and records of an API server and of a history server are printed without control characters by every command.
func TestOutputIsPlain(t *testing.T) {
	cluster, history := &hostileCluster{}, &hostileHistory{pastServer: pastServer{t}}
	api, past := httptest.NewServer(cluster), httptest.NewServer(history)
	defer api.Close()
	defer past.Close()
	config := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(config, nil, 0o600))
	ofHistory := func(args ...string) []string { return append(args, "--history-url", past.URL) }
	for _, refuses := range []bool{false, true} {
		cluster.refuses, history.refuses = refuses, refuses
		for _, args := range [][]string{
			{"list"}, {"list", "-o", "wide"}, {"list", "--waiting"}, {"explain", "train"}, {"explain", "train", "worker\u009d"}, {"tree", "train"}, {"tasks", "train"},
			{"tasks", "train", "-o", "wide"}, {"events", "train"}, {"logs", "train"}, {"wait", "train", "--timeout", "1s"}, {"stop", "train"}, {"scale", "train", "worker\u009d=1"},
			{"delete", "train", "--wait=false"}, {"simulate", "--plugin", "/\u009d"}, {"convert", "-f", "/\u009d"}, {"plugins"}, {"no\u009dcommand"}, {"list", "--no\u009dflag"},
			{"create", "train", "--image", "i"}, {"start", "train"}, {"watch", "ending"},
			{"ui", "--no-open"}, {"history"}, ofHistory("history"), ofHistory("history", "-o", "wide", "-A"), ofHistory("history", "-o", "name", "-A"), ofHistory("history", "--shadow"),
			ofHistory("history", "train"), ofHistory("history", "train", "-o", "wide", "--shadow"), ofHistory("history", "train", "worker", "-o", "wide"),
			ofHistory("history", "train", "worker/3", "-o", "wide", "--shadow"), ofHistory("report"), ofHistory("report", "--by", "node"),
			ofHistory("export", filepath.Join(t.TempDir(), "attempts.csv")), ofHistory("export", "--parquet", filepath.Join(t.TempDir(), "parquet")),
		} {
			streams, in, out, errOut := genericiooptions.NewTestIOStreams()
			in.WriteString("n\n")
			Run(t.Context(), streams, append(args, "--kubeconfig", config, "--server", api.URL))
			if out.Len()+errOut.Len() == 0 {
				t.Errorf("%v prints nothing", args)
			}
			t.Run(strings.Join(args, " "), func(t *testing.T) { requirePlain(t, out.String()+errOut.String(), "\n\t") })
		}
	}
}
