package waiting

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

// The manual shows the facts and the sentence of one wait.
func TestManual(t *testing.T) {
	blocks := page.Blocks(page.Read(t, "../../../docs/reference/waiting-reasons.md"))
	i := slices.IndexFunc(blocks, func(b page.Block) bool { return strings.HasPrefix(b.Text, "status:\n  waiting:\n") })
	if i < 0 {
		t.Fatal("no facts are shown")
	}
	var example struct {
		Status struct{ Waiting v1.WaitingStatus }
	}
	if err := yaml.Unmarshal([]byte(blocks[i].Text), &example); err != nil {
		t.Fatal(err)
	}
	shown := example.Status.Waiting
	f := Fact{Reason: reason.ImageNotPulled, Words: "ErrImagePull: my/worker: not found", More: 1}
	f.Role, f.Index, f.Pod, f.Node, f.Container = "worker", 3, "train-worker-3", "node-7", "main"
	if want := f.Status(nil, shown.Since); !reflect.DeepEqual(&shown, want) {
		t.Errorf("shown are %+v, want %+v", shown, want)
	}
	if !slices.ContainsFunc(blocks, func(b page.Block) bool { return b.Text == f.Sentence()+"\n" }) {
		t.Errorf("the manual does not show %q", f.Sentence())
	}
}
