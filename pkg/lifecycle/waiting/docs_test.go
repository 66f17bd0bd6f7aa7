package waiting

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// The manual shows the facts and the sentence of one wait.
func TestManual(t *testing.T) {
	page, err := os.ReadFile("../../../docs/user-manual/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(page), "```yaml\nstatus:\n  waiting:\n")
	block, _, closed := strings.Cut(block, "```")
	var shown v1.WaitingStatus
	if err := yaml.Unmarshal([]byte(block), &shown); err != nil || !found || !closed {
		t.Fatalf("no facts are shown: %v", err)
	}
	f := Fact{Reason: reason.ImageNotPulled, Words: "ErrImagePull: my/worker: not found", More: 1}
	f.Role, f.Index, f.Pod, f.Node, f.Container = "worker", 3, "train-worker-3", "node-7", "main"
	if want := f.Status(nil, shown.Since); !reflect.DeepEqual(&shown, want) {
		t.Errorf("shown are %+v, want %+v", shown, want)
	}
	if !strings.Contains(string(page), "```\n"+f.Sentence()+"\n```") {
		t.Errorf("the manual does not show %q", f.Sentence())
	}
}
