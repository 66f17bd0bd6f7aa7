package kueue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/gangs"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// manager is Kueue's manager, as a process beside the cluster, with the webhooks at that port.
type manager struct {
	program, dir string
	port         int
}

// install applies Kueue's manifests, without the objects that would run it in Pods.
func (m manager) install(ctx context.Context) error {
	source, err := cluster.ToolSource(ctx, cluster.Kueue)
	if err != nil {
		return err
	}
	manifests, err := world.Kube.Command(ctx, world.Kube.Kubectl, "kustomize", filepath.Join(source, "config/default")).Output()
	if err != nil {
		return fmt.Errorf("kubectl kustomize: %w", err)
	}
	var out strings.Builder
	for in := yaml.NewYAMLOrJSONDecoder(strings.NewReader(string(manifests)), 4096); ; {
		var o map[string]any
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return world.Define(ctx, out.String())
		} else if err != nil {
			return err
		}
		if m.adapt(o) {
			text, err := json.Marshal(o)
			if err != nil {
				return err
			}
			out.WriteString("---\n" + string(text) + "\n")
		}
	}
}

// adapt reports whether an object is wanted. The Service of the webhooks leads to this machine.
func (m manager) adapt(o map[string]any) (wanted bool) {
	switch o["kind"] {
	case "Deployment", "APIService":
		return false
	case "Service":
		o["spec"] = map[string]any{"type": "ExternalName", "externalName": "localhost"}
	}
	m.portIn(o)
	return true
}

// portIn puts the port where a webhook is configured by that Service, whose own is not asked for if it has an external name.
func (m manager) portIn(o any) {
	switch o := o.(type) {
	case []any:
		for _, item := range o {
			m.portIn(item)
		}
	case map[string]any:
		if client, ok := o["clientConfig"].(map[string]any); ok {
			if service, ok := client["service"].(map[string]any); ok {
				service["port"] = m.port
			}
		}
		for _, item := range o {
			m.portIn(item)
		}
	}
}

const namespace = "kueue-system"

// configuration turns off everything that would write outside of the tests' folder. The integration of Pods is on, as by default, to see
// that it leaves Pods of Frameworks alone.
const configuration = `
apiVersion: config.kueue.x-k8s.io/v1beta2
kind: Configuration
namespace: ` + namespace + `
health: {healthProbeBindAddress: "0"}
metrics: {bindAddress: "0"}
webhook: {host: localhost, port: %d, certDir: %s}
leaderElection: {leaderElect: false}
clientConnection: {qps: 1000, burst: 1000}
integrations: {frameworks: [batch/job, pod]}
featureGates: {VisibilityOnDemand: false}
waitForPodsReady: {timeout: %s}
`

// podsReadyTimeout is how long an admitted gang may take to run until Kueue evicts it. No gang of a story takes that long.
const podsReadyTimeout = 30 * time.Second

func (m manager) start(ctx context.Context) error {
	certificates := filepath.Join(m.dir, "certificates")
	if err := os.Mkdir(certificates, 0o755); err != nil {
		return err
	}
	path := filepath.Join(m.dir, "kueue.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, configuration, m.port, certificates, podsReadyTimeout), 0o644); err != nil {
		return err
	}
	if err := world.Beside(launch.Options{Binary: m.program, Dir: m.dir, Args: []string{"--config=" + path, "--zap-log-level=2"}}); err != nil {
		return err
	}
	return mountCertificates(ctx, certificates)
}

// mountCertificates writes the Secret with Kueue's certificates into files, as a kubelet does.
func mountCertificates(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, gangs.Patience)
	defer cancel()
	return clustertest.Poll(ctx, func(ctx context.Context) error {
		secret, err := world.Core.CoreV1().Secrets(namespace).Get(ctx, "kueue-webhook-server-cert", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if len(secret.Data["tls.crt"]) == 0 {
			return errors.New("Kueue has no certificate yet")
		}
		for _, name := range []string{"tls.key", "tls.crt"} { // Kueue waits for the last one
			if err := os.WriteFile(filepath.Join(dir, name), secret.Data[name], 0o600); err != nil {
				return err
			}
		}
		return nil
	})
}
