package kubectl

import (
	"strings"
	"testing"
)

// A file with several objects, some of other kinds or invalid, is converted through kubectl; kubectl's own output can be piped into it, and
// the API server accepts the outcome.
func TestConvert(t *testing.T) {
	t.Parallel()
	s := newScene(t, "converted")
	text := transcript(t, "convert", "-f", "testdata/convert.yaml")
	text += "\n" + transcript(t, "convert", "-f", "testdata/convertlossy.yaml", "--strict")
	text += "\n" + transcript(t, "convert")
	requireGolden(t, "convert.txt", text)

	cmd := kube.Command(t.Context(), kube.Kubectl, "apply", "-n", s.namespace, "--server-side", "--validate=strict", "-f", "-")
	cmd.Stdin = strings.NewReader(kubectl(t, "convert", "-f", "testdata/convertlossy.yaml").out)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.until("nightly", "completed", completed)
}
