package install

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
)

// The three ways install the same objects, with the same content. The namespace is an object in two of them, and Helm creates it itself, if
// asked to.
func TestThreeWaysInstallTheSame(t *testing.T) {
	file, err := os.ReadFile(deploy + "/install.yaml")
	require.NoError(t, err)
	one := parse(t, string(file))
	requireSame(t, "kustomize", parse(t, mustKubectl(t, "kustomize", deploy)), one)
	const namespace = "Namespace /" + name
	require.Contains(t, one, namespace)
	requireSame(t, "the chart that makes its namespace", template(t, "--include-crds", "--set", "namespace.create=true"), one)
	delete(one, namespace)
	requireSame(t, "the chart", template(t, "--include-crds"), one)
}

// A release packs the chart, and writes its install.yaml, without Helm. Helm accepts the package as a chart of that version, and renders
// the objects of install.yaml from it.
func TestChartOfARelease(t *testing.T) {
	out := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "go", "run", "./tools/release", "-version", "v1.2.3", "-dry", "-out", out)
	cmd.Dir = "../.."
	printed, err := cmd.CombinedOutput()
	require.NoError(t, err, string(printed))
	file, err := os.ReadFile(filepath.Join(out, "install.yaml"))
	require.NoError(t, err)
	packed := filepath.Join(out, "frameworkcontroller-1.2.3.tgz")
	made := mustHelm(t, "template", name, packed, "--namespace", name, "--include-crds", "--set", "namespace.create=true")
	requireSame(t, "the packed chart", parse(t, made), parse(t, string(file)))
	shown := mustHelm(t, "show", "chart", packed)
	require.Contains(t, shown, "version: 1.2.3\n")
	require.Contains(t, shown, "appVersion: v1.2.3\n")
}

// optional are the manifests that can be applied besides, and the value of the chart that means the same.
var optional = map[string]string{
	"hints/coscheduling.yaml": "rbac.hints.coscheduling=true",
	"hints/kueue.yaml":        "rbac.hints.kueue=true",
	"hints/volcano.yaml":      "rbac.hints.volcano=true",
	"hints/workload.yaml":     "rbac.hints.workload=true",
	"classifiers/nodes.yaml":  "rbac.classifiers.nodes=true",
	"classifiers/events.yaml": "rbac.classifiers.events=true",
	"ssh/secrets.yaml":        "rbac.ssh=true",
	"volumes/claims.yaml":     "rbac.volumes=true",
	"flow-schema.yaml":        "flowSchema.enabled=true",
	"monitoring.yaml":         "monitoring.serviceMonitor.enabled=true,monitoring.rules.enabled=true,monitoring.dashboard.enabled=true",
	"barrier/role.yaml":       "barrier.namespaces={default}",
}

func TestOptionalManifestsAreThoseOfTheChart(t *testing.T) {
	always := template(t)
	for file, value := range optional {
		text, err := os.ReadFile(filepath.Join(deploy, file))
		require.NoError(t, err)
		requireSame(t, value, template(t, "--set", value).without(always), parse(t, string(text)))
	}
	for _, dir := range []string{"hints", "classifiers", "ssh", "volumes"} {
		files, err := filepath.Glob(filepath.Join(deploy, dir, "*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, path := range files {
			if file := dir + "/" + filepath.Base(path); optional[file] == "" {
				t.Errorf("%s is no value of the chart", file)
			}
		}
	}
}

// The chart renders valid objects of Kubernetes, without unknown fields, which the API server would accept. The CRD, whose type this test
// does not know, is checked by the API server only, and objects for the Prometheus operator are only decoded.
func TestRenderedObjectsAreValid(t *testing.T) {
	known := runtime.NewScheme()
	require.NoError(t, scheme.AddToScheme(known))
	require.NoError(t, monitoringv1.AddToScheme(known))
	strict := serializer.NewCodecFactory(known, serializer.EnableStrict).UniversalDeserializer()
	for _, values := range []string{chart + "/values.yaml", everything, "testdata/history.yaml"} {
		rendered := mustHelm(t, "template", name, chart, "--namespace", "default", "--values", values)
		all := parse(t, rendered)
		if len(all) < 10 {
			t.Errorf("%s: only %d objects", values, len(all))
		}
		for key, o := range all {
			if _, _, err := strict.Decode([]byte(asText(t, o)), nil, nil); err != nil {
				t.Errorf("%s: %s: %v", values, key, err)
			}
		}
		file := filepath.Join(t.TempDir(), "rendered.yaml")
		write(t, file, withoutMonitoring(t, all))
		mustKubectl(t, "apply", "--server-side", "--dry-run=server", "-f", file)
	}
	mustKubectl(t, "apply", "--server-side", "--dry-run=server", "-f", chart+"/crds")
}

// withoutMonitoring returns the objects whose kind every API server knows.
func withoutMonitoring(t *testing.T, all objects) string {
	t.Helper()
	var documents []string
	for _, o := range all {
		if o.GroupVersionKind().Group != monitoringv1.SchemeGroupVersion.Group {
			documents = append(documents, asText(t, o))
		}
	}
	return strings.Join(documents, "\n---\n")
}

func TestLintAndPackage(t *testing.T) {
	mustHelm(t, "lint", "--strict", chart)
	mustHelm(t, "lint", "--strict", chart, "--values", everything)
	out := mustHelm(t, "package", chart, "--destination", t.TempDir())
	_, archive, found := strings.Cut(strings.TrimSpace(out), ": ")
	require.True(t, found, out)
	packed := mustHelm(t, "template", name, archive, "--namespace", name, "--include-crds")
	requireSame(t, "the packed chart", parse(t, packed), template(t, "--include-crds"))
}
