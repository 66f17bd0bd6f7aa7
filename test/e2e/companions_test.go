package e2e

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var (
	theServices = kind[*corev1.Service]{"services", coreClient}
	theSecrets  = kind[*corev1.Secret]{"secrets", coreClient}
)

const (
	names       = `network: {dns: true}`
	keys        = `ssh: {mountPath: /root/.ssh}`
	withoutBoth = `spec: {network: null, ssh: null}`
)

// gangOf is a Framework with these fields, whose Pods run until they are stopped.
func gangOf(fields ...string) string {
	return `{` + strings.Join(append(fields, `taskRoles: [{name: launcher, task: {pod: `+pod()+`}}, {name: worker, taskNumber: 3, task: {pod: `+pod()+`}}]`), ", ") + `}`
}

// The records for DNS have each Pod under its own name, and the names stay when a Pod is replaced.
func TestNamesOfPods(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("gang", gangOf(names, `retryPolicy: {maxRetryCount: 1}`))
	s.awaitAllRunning("gang", 4)
	want := []string{"gang-launcher-0", "gang-worker-0", "gang-worker-1", "gang-worker-2"}
	s.awaitHostnames("gang", want)
	service, err := core.CoreV1().Services(s.namespace).Get(t.Context(), "gang", metav1.GetOptions{})
	require.NoError(t, err)
	if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
		t.Errorf("got %+v", service.Spec)
	}
	pod, err := s.pods.Get(t.Context(), "gang-worker-1", metav1.GetOptions{})
	require.NoError(t, err)
	if pod.Spec.Hostname != pod.Name || pod.Spec.Subdomain != "gang" {
		t.Errorf("the Pod is %s in %s", pod.Spec.Hostname, pod.Spec.Subdomain)
	}
	env := map[string]string{}
	for _, e := range pod.Spec.Containers[0].Env {
		env[e.Name] = e.Value
	}
	if env["FC_TASK_COUNT"] != "4" || env["FC_TASK_COUNT_worker"] != "3" || env["FC_TASK_RANK"] != "2" {
		t.Errorf("the container is told %v", env)
	}
	require.NoError(t, s.configMaps.Delete(t.Context(), "gang-attempt", metav1.DeleteOptions{}))
	s.awaitState("gang", v1.AttemptRunning, 1)
	s.awaitAllRunning("gang", 4)
	s.awaitHostnames("gang", want)
	s.requireUID(theServices, "gang", service.UID)
}

// awaitHostnames waits until the EndpointSlices of a Service have an address for each of these names, and no other.
func (s *story) awaitHostnames(service string, want []string) {
	s.t.Helper()
	s.eventually(func(ctx context.Context) error {
		slicesOf, err := core.DiscoveryV1().EndpointSlices(s.namespace).List(ctx, metav1.ListOptions{LabelSelector: discoveryv1.LabelServiceName + "=" + service})
		if err != nil {
			return err
		}
		got := map[string]bool{}
		for _, slice := range slicesOf.Items {
			for _, e := range slice.Endpoints {
				if e.Hostname != nil && len(e.Addresses) > 0 && *e.Conditions.Ready {
					got[*e.Hostname] = true
				}
			}
		}
		if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, want) {
			return fmt.Errorf("DNS knows %q, want %q", names, want)
		}
		return nil
	})
}

// remadeService, and remadeSecret, wait for another object of the name than that, which belongs to the Framework.
func (s *story) remadeService(name string, before types.UID) *corev1.Service {
	s.t.Helper()
	return until(s, theServices, name, "made", func(o *corev1.Service) bool { return o.UID != before && metav1.GetControllerOf(o) != nil })
}

func (s *story) remadeSecret(name string, before types.UID) *corev1.Secret {
	s.t.Helper()
	return until(s, theSecrets, name, "made", func(o *corev1.Secret) bool { return o.UID != before && metav1.GetControllerOf(o) != nil })
}

func (s *story) requireUID(k kind[*corev1.Service], name string, want types.UID) {
	s.t.Helper()
	if got := until(s, k, name, "there", func(*corev1.Service) bool { return true }); got.UID != want {
		s.t.Errorf("%s %s is another one", k.resource, name)
	}
}

// The keys in the Secret fit each other, each container has them, and other Frameworks have others.
func TestKeysOfPods(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("gang", gangOf(names, keys))
	s.create("other", gangOf(keys))
	s.awaitAllRunning("gang", 4)
	mine, others := s.remadeSecret("gang-ssh", ""), s.remadeSecret("other-ssh", "")
	signer, err := ssh.ParsePrivateKey(mine.Data["id_ed25519"])
	require.NoError(t, err)
	authorized, _, _, _, err := ssh.ParseAuthorizedKey(mine.Data["authorized_keys"])
	require.NoError(t, err)
	if string(authorized.Marshal()) != string(signer.PublicKey().Marshal()) {
		t.Error("its own key does not let one in")
	}
	if string(others.Data["id_ed25519"]) == string(mine.Data["id_ed25519"]) {
		t.Error("two Frameworks have the same key")
	}
	pod, err := s.pods.Get(t.Context(), "gang-launcher-0", metav1.GetOptions{})
	require.NoError(t, err)
	mounted := func(m corev1.VolumeMount) bool { return m.MountPath == "/root/.ssh" && m.ReadOnly }
	if !slices.ContainsFunc(pod.Spec.Containers[0].VolumeMounts, mounted) {
		t.Errorf("it mounts %v", pod.Spec.Containers[0].VolumeMounts)
	}
}

// Deleted objects are recreated, ones that are no longer needed are deleted, and the rest is deleted with the Framework.
func TestCompanionsComeAndGo(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("gang", gangOf(names, keys))
	s.awaitAllRunning("gang", 4)
	service, secret := s.remadeService("gang", ""), s.remadeSecret("gang-ssh", "")
	require.NoError(t, core.CoreV1().Services(s.namespace).Delete(t.Context(), "gang", metav1.DeleteOptions{}))
	service = s.remadeService("gang", service.UID)
	require.NoError(t, core.CoreV1().Secrets(s.namespace).Delete(t.Context(), "gang-ssh", metav1.DeleteOptions{}))
	s.patch("gang", `spec: {description: look again}`)
	s.remadeSecret("gang-ssh", secret.UID)
	s.patch("gang", `spec: {network: {publishNotReadyAddresses: false}}`)
	until(s, theServices, "gang", "for ready Pods only", func(o *corev1.Service) bool { return !o.Spec.PublishNotReadyAddresses })
	s.requireUID(theServices, "gang", service.UID)
	s.patch("gang", withoutBoth)
	untilGone(s, theServices, "gang")
	untilGone(s, theSecrets, "gang-ssh")
	s.await("gang", "without either", func(f *v1.FrameworkStatus) bool { return f.ServiceName == "" && f.SecretName == "" })
	s.patch("gang", `spec: {`+names+`, `+keys+`}`)
	s.remadeService("gang", "")
	s.remadeSecret("gang-ssh", "")
	f := s.awaitAllRunning("gang", 4)
	if f.Status.AttemptStatus.ID != 0 {
		t.Errorf("attempt %d runs", f.Status.AttemptStatus.ID)
	}
	foreground := metav1.DeletePropagationForeground
	require.NoError(t, s.frameworks.Delete(t.Context(), "gang", metav1.DeleteOptions{PropagationPolicy: &foreground}))
	untilGone(s, theFrameworks, "gang")
	untilGone(s, theServices, "gang")
	untilGone(s, theSecrets, "gang-ssh")
}

// Names used by others are left alone. The Framework runs, reports the conflict, and takes the name once it is free.
func TestCompanionNamesAreTaken(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	services, secrets := core.CoreV1().Services(s.namespace), core.CoreV1().Secrets(s.namespace)
	port := corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}, Selector: map[string]string{"app": "web"}}
	theirs, err := services.Create(t.Context(), &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: port}, metav1.CreateOptions{})
	require.NoError(t, err)
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "shell-ssh"}, Data: map[string][]byte{"password": []byte("secret")}}
	_, err = secrets.Create(t.Context(), secret, metav1.CreateOptions{})
	require.NoError(t, err)
	s.create("web", gangOf(names))
	s.create("shell", gangOf(keys))
	for name, field := range map[string]string{"web": "spec.network", "shell": "spec.ssh"} {
		s.awaitAllRunning(name, 4)
		if c := s.awaitCondition(name, v1.ConditionWaiting, metav1.ConditionTrue, "NameConflict"); !strings.Contains(c.Message, field) {
			t.Errorf("%s says %q", name, c.Message)
		}
	}
	s.requireUID(theServices, "web", theirs.UID)
	require.NoError(t, services.Delete(t.Context(), "web", metav1.DeleteOptions{}))
	require.NoError(t, secrets.Delete(t.Context(), "shell-ssh", metav1.DeleteOptions{}))
	s.remadeService("web", "")
	s.remadeSecret("shell-ssh", "")
	for _, name := range []string{"web", "shell"} {
		s.awaitCondition(name, v1.ConditionWaiting, metav1.ConditionFalse, "NothingInTheWay")
	}
}

// A name that a Service cannot have, such as one that begins with a digit before Kubernetes 1.35, is reported, and so is one that no host
// can have. The Framework runs without it.
func TestNamesThatDNSDoesNotKnow(t *testing.T) {
	t.Parallel()
	s := newStory(t)
	s.create("1st", gangOf(names))
	s.awaitAllRunning("1st", 4)
	probe := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "1st-probe"}, Spec: corev1.ServiceSpec{ClusterIP: corev1.ClusterIPNone}}
	if _, err := core.CoreV1().Services(s.namespace).Create(t.Context(), probe, metav1.CreateOptions{}); err == nil {
		s.awaitHostnames("1st", []string{"1st-launcher-0", "1st-worker-0", "1st-worker-1", "1st-worker-2"})
	} else if c := s.awaitCondition("1st", v1.ConditionWaiting, metav1.ConditionTrue, "Invalid"); !strings.Contains(c.Message, "DNS-1035") {
		t.Errorf("it says %q", c.Message)
	}
	long := strings.Repeat("r", 60)
	s.create("long", `{`+names+`, taskRoles: [{name: `+long+`, task: {pod: `+pod()+`}}]}`)
	s.awaitAllRunning("long", 1)
	if c := s.awaitCondition("long", v1.ConditionWaiting, metav1.ConditionTrue, "NamesUnresolvable"); !strings.Contains(c.Message, long) {
		t.Errorf("it says %q", c.Message)
	}
}
