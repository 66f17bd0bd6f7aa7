package gangs

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// Patience is how long a test waits for something that takes a second or so on an idle machine.
var Patience = machine.Within(90 * time.Second)

// World is shared by all tests of a package. Tests that share nodes run one after the other.
type World struct {
	Kube       *cluster.Cluster
	Core       kubernetes.Interface
	Frameworks versioned.Interface
	Objects    dynamic.Interface

	setup      *clustertest.Setup
	programs   []*launch.Process // their logs may explain why a test has failed
	controller *launch.Process   // nil before it was started
	plugins    string            // of the controller
}

// Start starts the cluster. It has two nodes, unless the options set another number, each with 32 CPUs.
func Start(ctx context.Context, s *clustertest.Setup, o cluster.Options) (*World, error) {
	o.Nodes = cmp.Or(o.Nodes, 2)
	kube, err := s.Cluster(ctx, o)
	if err != nil {
		return nil, err
	}
	w := &World{Kube: kube, setup: s}
	if w.Core, err = kubernetes.NewForConfig(kube.Config); err != nil {
		return nil, err
	}
	if w.Frameworks, err = versioned.NewForConfig(kube.Config); err != nil {
		return nil, err
	}
	quiet := rest.CopyConfig(kube.Config)
	quiet.WarningHandler = rest.NoWarnings{} // each answer warns that a beta version will be deprecated one day
	w.Objects, err = dynamic.NewForConfig(quiet)
	return w, err
}

// StartController starts the controller with the shipped configuration, and more plugins: items of the list, in YAML. The previous
// controller has ended then.
func (w *World) StartController(ctx context.Context, plugins string) error {
	return w.startController(ctx, plugins, "")
}

func (w *World) startController(ctx context.Context, plugins, more string) error {
	if w.controller != nil {
		if _, err := w.controller.Terminate(time.Minute); err != nil {
			return err
		}
	}
	controller, err := w.setup.ShippedController(ctx, w.Kube, func(config string) (string, error) {
		return launch.WithPlugins(config+competeSoon+more, plugins)
	})
	if err != nil {
		return err
	}
	w.programs = append(w.programs, controller)
	w.controller, w.plugins = controller, plugins
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	// Before that, the signal to end would end it as it ends any program.
	return clustertest.Poll(ctx, clustertest.Holds("the controller has begun", func() bool { return controller.Text() != "" }))
}

// competeSoon makes attempts that fail in a competition retry soon.
const competeSoon = `
frameworkMinRetryDelaySecForTransientConflictFailed: 1
frameworkMaxRetryDelaySecForTransientConflictFailed: 10
`

// Define applies manifests, and waits until the kinds that they define can be used.
func (w *World) Define(ctx context.Context, manifests string) error {
	if err := w.Apply(ctx, manifests); err != nil {
		return err
	}
	return w.kubectl(ctx, "", "wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
}

// Apply applies manifests.
func (w *World) Apply(ctx context.Context, manifests string) error {
	return w.kubectl(ctx, manifests, "apply", "--server-side", "-f", "-") // so that no annotation has to hold the largest of them
}

func (w *World) kubectl(ctx context.Context, stdin string, args ...string) error {
	cmd := w.Kube.Command(ctx, w.Kube.Kubectl, args...)
	cmd.Stdin = strings.NewReader(stdin)
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", args[0], err, output)
	}
	return nil
}

// Beside starts a program that runs beside the cluster until the tests are over. If it ends before, that is an error.
func (w *World) Beside(o launch.Options) error {
	p, err := launch.Program(w.Kube, o)
	if err != nil {
		return err
	}
	w.programs = append(w.programs, p)
	w.setup.AtEnd(func() error {
		p.Kill()
		if p.EndedByItself() {
			return fmt.Errorf("%s has ended: %w\n%s", filepath.Base(o.Binary), p.Err(), p.Tail(8000))
		}
		return nil
	})
	return nil
}
