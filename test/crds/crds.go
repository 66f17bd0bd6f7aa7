package crds

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// CRD is the CRD of a kind of another system.
type CRD struct {
	module cluster.Module
	file   string // path in the module, or the generator's name for it
	types  string // the package from which the file is generated; empty: the module has it
}

var (
	trainingOperator = cluster.Module{Tool: "kueue", Path: "github.com/kubeflow/training-operator"}
	jobSet           = cluster.Module{Tool: "kueue", Path: "sigs.k8s.io/jobset"}
	volcano          = cluster.Module{Tool: "volcano", Path: "volcano.sh/apis"}
)

const (
	trainingOperatorFiles = "manifests/base/crds/"
	volcanoBatch          = "volcano.sh/apis/pkg/apis/batch/v1alpha1"
	volcanoScheduling     = "volcano.sh/apis/pkg/apis/scheduling/v1beta1"
)

// The known CRDs.
var (
	JobSet          = CRD{module: jobSet, file: "config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml"}
	PyTorchJob      = CRD{module: trainingOperator, file: trainingOperatorFiles + "kubeflow.org_pytorchjobs.yaml"}
	TFJob           = CRD{module: trainingOperator, file: trainingOperatorFiles + "kubeflow.org_tfjobs.yaml"}
	MPIJob          = CRD{module: trainingOperator, file: trainingOperatorFiles + "kubeflow.org_mpijobs.yaml"}
	VolcanoJob      = CRD{module: volcano, file: "batch.volcano.sh_jobs.yaml", types: volcanoBatch}
	VolcanoPodGroup = CRD{module: volcano, file: "scheduling.volcano.sh_podgroups.yaml", types: volcanoScheduling}
	VolcanoQueue    = CRD{module: volcano, file: "scheduling.volcano.sh_queues.yaml", types: volcanoScheduling}
)

// Read returns the CRD as YAML. The module and the generator are fetched and built if need be, which is logged.
func (c CRD) Read(ctx context.Context, log io.Writer) ([]byte, error) {
	dir, err := c.module.Dir(ctx)
	if err != nil {
		return nil, err
	}
	if c.types == "" {
		return os.ReadFile(filepath.Join(dir, c.file))
	}
	generator, err := cluster.Tool(ctx, log, cluster.ControllerGen)
	if err != nil {
		return nil, err
	}
	out, err := os.MkdirTemp("", "crds-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(out)
	cmd, err := c.module.Command(ctx, generator, "crd:generateEmbeddedObjectMeta=true", "paths="+c.types, "output:crd:dir="+out)
	if err != nil {
		return nil, err
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("generating %s: %w\n%s", c.file, err, text)
	}
	return os.ReadFile(filepath.Join(out, c.file))
}
