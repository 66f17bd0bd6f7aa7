package gangs

import (
	"context"
	"fmt"
	"os"
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
)

// Patience is how long a test waits for something that takes a second or so on an idle machine.
const Patience = 90 * time.Second

// World is what all tests of a package share. They run one after the other, as they share the nodes.
type World struct {
	Kube       *cluster.Cluster
	Core       kubernetes.Interface
	Frameworks versioned.Interface
	Objects    dynamic.Interface

	setup    *clustertest.Setup
	programs []*launch.Process // whose logs tell why a test has failed
}

// Start starts the cluster, which has two nodes with 32 CPUs each beside what the options say.
func Start(ctx context.Context, s *clustertest.Setup, o cluster.Options) (*World, error) {
	o.Nodes = 2
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
	quiet.WarningHandler = rest.NoWarnings{} // each answer says that a beta version will be deprecated one day
	w.Objects, err = dynamic.NewForConfig(quiet)
	return w, err
}

// StartController starts it with the configuration that we ship, and one more plugin: an item of the list, in YAML.
func (w *World) StartController(ctx context.Context, plugin string) error {
	dir, err := os.MkdirTemp(w.setup.Dir, "programs")
	if err != nil {
		return err
	}
	binary, err := clustertest.Install(ctx, dir, clustertest.ControllerProgram)
	if err != nil {
		return err
	}
	if _, err := clustertest.Install(ctx, dir, clustertest.PluginPrograms); err != nil {
		return err
	}
	shipped, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		return err
	}
	// What competes in vain tries again soon.
	config := strings.Replace(string(shipped), "\nplugins:\n", "\nframeworkMinRetryDelaySecForTransientConflictFailed: 1\nframeworkMaxRetryDelaySecForTransientConflictFailed: 10\n"+
		"\nplugins:\n- "+plugin+"\n", 1)
	if config == string(shipped) {
		return fmt.Errorf("the configuration has no list of plugins")
	}
	controller, err := launch.Controller(w.Kube, launch.Options{Binary: binary, Dir: filepath.Join(w.Kube.Dir, "controller"), Config: config})
	if err != nil {
		return err
	}
	w.programs = append(w.programs, controller)
	w.setup.AtEnd(func() error {
		_, err := controller.Terminate(Patience)
		return err
	})
	return nil
}

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

// Beside starts a program that runs beside the cluster until the tests are over. That it ends before is an error.
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
