// Command standin plays a scheduler that is not available as a Go module: Volcano, HiveD or YuniKorn. The tests beside it run Frameworks
// against it, with the plugin for that scheduler, on a real API server.
//
//	standin -scheduler volcano -config volcano.yaml
//
// By the documentation of each, and by observations of the real one, it imitates everything that a gang notices: when it is admitted, which
// Pods are placed together and which alone, what is held and for how long, and how that is reported. It knows the CPUs of nodes, and
// HiveD's cells; topology, fairness, and priorities other than Volcano's are left out. It keeps its knowledge of gangs in memory, and so
// has to run from before the first one to the end.
//
// KAI is not played: there is no plugin for it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	name := flag.String("scheduler", "", "volcano, hived or yunikorn")
	config := flag.String("config", "", "path of its configuration, in YAML")
	flag.Parse()
	log.Fatal(run(context.Background(), *name, *config))
}

// run returns only if the scheduler cannot begin.
func run(ctx context.Context, name, config string) error {
	text, err := os.ReadFile(config)
	if err != nil {
		return err
	}
	c, err := connect()
	if err != nil {
		return err
	}
	s, err := begin(ctx, name, text, c)
	if err != nil {
		return fmt.Errorf("beginning as %s: %w", name, err)
	}
	for ; ; time.Sleep(pause) {
		if err := pass(ctx, s, c); err != nil {
			log.Print(err)
		}
	}
}

// pause is between two passes. The real ones look about once a second; a test has no time for that.
const pause = 100 * time.Millisecond

// scheduler is a scheduler that is played.
type scheduler interface {
	// name is the schedulerName of its Pods.
	name() string
	// pass acts on its Pods as the real one would now, in the order of their creation. The next pass retries failed requests.
	pass(ctx context.Context, pods []pod) error
}

func pass(ctx context.Context, s scheduler, c clients) error {
	pods, err := c.podsFor(ctx, s.name())
	if err != nil {
		return err
	}
	return s.pass(ctx, pods)
}

func begin(ctx context.Context, name string, config []byte, c clients) (scheduler, error) {
	switch name {
	case "volcano":
		return beginVolcano(ctx, config, c)
	case "hived":
		return beginHived(config, c)
	case "yunikorn":
		return beginYunikorn(ctx, config, c)
	}
	return nil, errors.New("there is no such scheduler")
}

// clients are for the cluster of ${KUBECONFIG}.
type clients struct {
	core    kubernetes.Interface
	objects dynamic.Interface
}

func connect() (c clients, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return c, err
	}
	config.QPS = -1
	if c.core, err = kubernetes.NewForConfig(config); err != nil {
		return c, err
	}
	c.objects, err = dynamic.NewForConfig(config)
	return c, err
}

func read(config []byte, into any) error { return yaml.UnmarshalStrict(config, into) }
