// Package api tests how the API server treats Frameworks: validation, defaults, status, columns, help texts. It needs no controller. The
// first run builds an API server and takes some minutes; -short skips all tests.
package api

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
	typed "github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/typed/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

const (
	namespace = "default"
	manifest  = "../../deploy/crd/frameworks.yaml"
)

var patience = machine.Within(30 * time.Second)

// One cluster serves all tests of the package; each test uses Frameworks of its own.
var (
	kube       *cluster.Cluster
	crds       dynamic.ResourceInterface
	rawClient  dynamic.ResourceInterface // Frameworks that need not fit the types
	frameworks typed.FrameworkInterface
)

func TestMain(m *testing.M) { clustertest.Main(m, prepare) }

// prepare starts a cluster in the state that the original controller leaves: with its CRD and some of its objects, and with the
// objects of each release. Then it installs our CRD over that CRD, as our controller does.
func prepare(ctx context.Context, s *clustertest.Setup) (err error) {
	if kube, err = s.Cluster(ctx, cluster.Options{}); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	crds = client.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	})
	rawClient = client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(namespace)
	clientset, err := versioned.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	frameworks = clientset.FrameworkControllerV1().Frameworks(namespace)
	if err := useOriginal(ctx); err != nil {
		return fmt.Errorf("using the original: %w", err)
	}
	if err := useReleases(ctx); err != nil {
		return fmt.Errorf("using releases: %w", err)
	}
	if err := installCRD(ctx); err != nil {
		return fmt.Errorf("installing the CRD: %w", err)
	}
	return nil
}

func installCRD(ctx context.Context) error {
	force := true
	_, err := crds.Patch(ctx, v1.CRDName, types.ApplyPatchType, crd.Manifest,
		metav1.PatchOptions{FieldManager: "frameworkcontroller", Force: &force})
	if err != nil {
		return err
	}
	// The API server keeps the old schema for a moment. The old one has no required field.
	return eventually(ctx, func(ctx context.Context) error {
		if err := create(ctx, "nospec", "{}"); !apierrors.IsInvalid(err) {
			return fmt.Errorf("a Framework without spec is not refused: %w", err)
		}
		return requireSchema(ctx, "")
	})
}

// create asks for a Framework of that name, with the other fields given as YAML, and leaves nothing behind.
func create(ctx context.Context, name, fields string) error {
	f, err := parse(name, fields)
	if err != nil {
		return err
	}
	_, err = rawClient.Create(ctx, f, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

func parse(name, fields string) (*unstructured.Unstructured, error) {
	f := &unstructured.Unstructured{Object: map[string]any{}}
	if err := yaml.Unmarshal([]byte(fields), &f.Object); err != nil {
		return nil, err
	}
	f.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
	f.SetName(name)
	return f, nil
}

// eventually repeats the check until it has no complaint.
func eventually(ctx context.Context, check func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return clustertest.Poll(ctx, check)
}
