package plugintest

import (
	"context"
	"sync"
	"testing"

	"google.golang.org/grpc"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// counting is a connection to a plugin without opinions. It records the number of Pods in the biggest question.
type counting struct {
	grpc.ClientConnInterface
	mu   sync.Mutex
	most int
}

func (c *counting) Invoke(_ context.Context, _ string, question, _ any, _ ...grpc.CallOption) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if q, ok := question.(*pluginpb.ClassifyRequest); ok {
		c.most = max(c.most, len(q.GetPods()))
	}
	return nil
}

// A question never has more Pods than the controller's: at most 256, see docs/reference/plugin-protocol.md.
func TestBatchesAreAsBigAsThoseOfTheController(t *testing.T) {
	conn := &counting{}
	Classifier(t, func(*testing.T) grpc.ClientConnInterface { return conn }, Options{})
	if conn.most != 256 {
		t.Errorf("the biggest question was about %d Pods", conn.most)
	}
}
