package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gopkg.in/yaml.v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

var frameworks = schema.GroupVersionResource{
	Group:    "frameworkcontroller.microsoft.com",
	Version:  "v1",
	Resource: "frameworks",
}

// manifest is a file to apply. It may hold other objects beside its one Framework.
type manifest struct {
	path      string
	namespace string // of the Framework
	name      string // of the Framework
	simulated bool   // whether some Pod in it has annotations for a simulated node
}

func readManifest(path string) (manifest, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return manifest{}, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var object struct {
			Kind     string
			Metadata struct{ Name, Namespace string }
		}
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return manifest{}, fmt.Errorf("%s has no Framework in it", path)
		}
		if err != nil {
			return manifest{}, fmt.Errorf("reading %s: %w", path, err)
		}
		if object.Kind == "Framework" {
			return manifest{
				path:      path,
				namespace: orDefault(object.Metadata.Namespace),
				name:      object.Metadata.Name,
				simulated: bytes.Contains(text, []byte("simulate.frameworkcontroller.io/")),
			}, nil
		}
	}
}

func orDefault(namespace string) string {
	if namespace == "" {
		return metav1.NamespaceDefault
	}
	return namespace
}

// apply waits for the controller to install its CustomResourceDefinition first.
func apply(ctx context.Context, c *cluster.Cluster, path string) error {
	if err := awaitFrameworks(ctx, c); err != nil {
		return fmt.Errorf("waiting for the controller to define Frameworks: %w", err)
	}
	output, err := c.Command(ctx, c.Kubectl, "apply", "-f", path).CombinedOutput()
	if err != nil {
		return fmt.Errorf("applying %s: %w\n%s", path, err, output)
	}
	fmt.Print(string(output))
	return nil
}

func awaitFrameworks(ctx context.Context, c *cluster.Cluster) error {
	client, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return err
	}
	return wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := client.Resource(frameworks).List(ctx, metav1.ListOptions{Limit: 1})
		return err == nil, nil
	})
}
