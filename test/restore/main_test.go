package restore

import (
	"context"
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// patience is how long a story waits for something that takes seconds on an idle machine.
var patience = machine.Within(90 * time.Second)

// Shared by all stories. They run one after the other, each with controllers of its own.
var (
	kube       *cluster.Cluster
	core       kubernetes.Interface
	frameworks versioned.Interface
	binary     string
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{Nodes: 3}); err != nil {
		return err
	}
	if core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return err
	}
	if frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return err
	}
	if binary, err = clustertest.Install(ctx, s.Dir, clustertest.ControllerProgram); err != nil {
		return err
	}
	return define(ctx, s.Dir)
}

// define has a controller define Frameworks, so that they can be watched before there are any.
func define(ctx context.Context, dir string) error {
	p, err := launch.Controller(kube, launch.Options{Binary: binary, Dir: dir, Config: "{}"})
	if err != nil {
		return err
	}
	defer p.Kill()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	err = clustertest.Poll(ctx, func(ctx context.Context) error {
		_, err := frameworks.FrameworkControllerV1().Frameworks("default").List(ctx, metav1.ListOptions{Limit: 1})
		return err
	})
	if err != nil {
		return fmt.Errorf("Frameworks are not defined: %w; the controller's log:\n%s", err, p.Text())
	}
	return nil
}
