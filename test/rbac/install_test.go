package rbac

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// The manifests can be applied in both ways, and repeatedly, and so can the optional ones. Whether the API server heeds the latter is not
// seen, because these tests' API server treats all requests alike.
func TestManifestsCanBeApplied(t *testing.T) {
	for _, how := range []string{"--server-side=false", "--server-side", "--server-side=false"} {
		if _, err := kubectl(t.Context(), "apply", how, "-k", deploy); err != nil {
			t.Error(err)
		}
	}
	if _, err := kubectl(t.Context(), "apply", "-f", deploy+"/flow-schema.yaml"); err != nil {
		t.Error(err)
	}
}

// The Pod is admitted to a namespace that enforces the restricted security standard, and starts.
func TestPodIsAdmitted(t *testing.T) {
	eventually(t, func(ctx context.Context) error {
		d, err := core.AppsV1().Deployments(name).Get(ctx, name, metav1.GetOptions{})
		if err == nil && d.Status.ReadyReplicas != *d.Spec.Replicas {
			err = errors.New("not ready: " + text(d.Status))
		}
		return err
	})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "unrestricted"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "none"}}},
	}
	_, err := core.CoreV1().Pods(name).Create(t.Context(), pod, metav1.CreateOptions{})
	if !apierrors.IsForbidden(err) {
		t.Errorf("a Pod without a security context: got %v, want that it is refused", err)
	}
}

// Beyond the requirements of a restricted namespace: only the mounted folders can be written, a controller that could lead is always there,
// and the manifests name the image in one place.
func TestPod(t *testing.T) {
	d := installedDeployment(t)
	c := d.Spec.Template.Spec.Containers[0]
	if s := c.SecurityContext; s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem {
		t.Error("the root filesystem can be written")
	}
	if u := d.Spec.Strategy.RollingUpdate; u == nil || u.MaxUnavailable.IntValue() != 0 || *d.Spec.Replicas != 2 {
		t.Errorf("%d replicas, replaced by %s", *d.Spec.Replicas, text(d.Spec.Strategy))
	}
	if c.LivenessProbe == nil || c.ReadinessProbe == nil {
		t.Error("probes are missing")
	}
	if c.Resources.Requests.Cpu().IsZero() || c.Resources.Limits.Memory().IsZero() {
		t.Error("resources are missing")
	}
	if want := "frameworkcontroller/frameworkcontroller:dev"; c.Image != want {
		t.Errorf("image %s, want %s", c.Image, want)
	}
}

// highestPriority is the highest priority that is not reserved for Kubernetes itself.
const highestPriority = 1000000000

// The controller is scheduled no later than any Pod of users: the API server knows its class.
func TestPriority(t *testing.T) {
	pods, err := core.CoreV1().Pods(name).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + name})
	if err != nil || len(pods.Items) == 0 {
		t.Fatalf("%d Pods: %v", len(pods.Items), err)
	}
	for _, pod := range pods.Items {
		if pod.Spec.Priority == nil || *pod.Spec.Priority != highestPriority {
			t.Errorf("%s has the priority %s", pod.Name, text(pod.Spec.Priority))
		}
	}
}

// The only port of the controller that can be reached serves its probes and metrics; its own connections are not restricted.
func TestNetworkPolicy(t *testing.T) {
	p, err := core.NetworkingV1().NetworkPolicies(name).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	d := installedDeployment(t)
	if want := d.Spec.Selector.MatchLabels; !maps.Equal(p.Spec.PodSelector.MatchLabels, want) {
		t.Errorf("it is for %s, want %v", text(p.Spec.PodSelector), want)
	}
	if want := []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}; !slices.Equal(p.Spec.PolicyTypes, want) {
		t.Errorf("it is about %v, want %v", p.Spec.PolicyTypes, want)
	}
	var open []string
	for _, rule := range p.Spec.Ingress {
		for _, port := range rule.Ports {
			open = append(open, port.Port.String())
		}
	}
	if port := d.Spec.Template.Spec.Containers[0].Ports[0].Name; len(p.Spec.Ingress) != 1 || !slices.Equal(open, []string{port}) {
		t.Errorf("open are %v, want %s", open, port)
	}
}

// The controller knows the flags that the manifests give it.
func TestFlags(t *testing.T) {
	for _, args := range [][]string{argsOf(installedDeployment(t)), argsOf(rendered(t, "../../example/config/default"))} {
		out, err := exec.CommandContext(t.Context(), binary, append(args, "--version")...).CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		if !slices.Contains(args, "--leader-elect") {
			t.Errorf("%v: several controllers would work against each other", args)
		}
	}
}

// A kustomization beside a configuration file installs the controller with that file.
func TestConfigurationInAConfigMap(t *testing.T) {
	for _, dir := range []string{"../../example/config/default", "../../example/config/customized"} {
		if _, err := kubectl(t.Context(), "apply", "--dry-run=server", "-k", dir); err != nil {
			t.Error(err)
		}
		d := rendered(t, dir)
		volumes := map[string]string{} // the ConfigMap by the name of its volume
		for _, v := range d.Spec.Template.Spec.Volumes {
			if v.ConfigMap != nil {
				volumes[v.Name] = v.ConfigMap.Name
			}
		}
		var config string
		for _, m := range d.Spec.Template.Spec.Containers[0].VolumeMounts {
			if volumes[m.Name] != "" {
				config = "--config=" + m.MountPath + "/frameworkcontroller.yaml"
			}
		}
		if args := strings.Join(argsOf(d), " "); config == "" || !strings.Contains(args, config) {
			t.Errorf("%s: arguments %q, mounted %q", dir, args, config)
		}
	}
}

func argsOf(d *appsv1.Deployment) []string { return d.Spec.Template.Spec.Containers[0].Args }

func installedDeployment(t *testing.T) *appsv1.Deployment {
	t.Helper()
	d, err := core.AppsV1().Deployments(name).Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return d
}

// rendered is the Deployment that a kustomization would install.
func rendered(t *testing.T, dir string) *appsv1.Deployment {
	t.Helper()
	out, err := kubectl(t.Context(), "kustomize", dir)
	require.NoError(t, err)
	documents := yaml.NewYAMLOrJSONDecoder(strings.NewReader(out), 4096)
	for {
		var document json.RawMessage
		if err := documents.Decode(&document); err != nil {
			break
		}
		d := &appsv1.Deployment{}
		if err := json.Unmarshal(document, d); err == nil && d.Kind == "Deployment" {
			return d
		}
	}
	t.Fatalf("%s has no Deployment", dir)
	return nil
}

func text(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(out)
}
