package install

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

const (
	historyName = name + "-history"
	// historyURL is where the controller of the manual finds the history server.
	historyURL = "https://" + historyName + "." + name + ".svc"
)

// The manifest for users without Helm has the objects that the option of the chart adds, apart from the configuration of the controller.
func TestHistoryManifest(t *testing.T) {
	text, err := os.ReadFile(deploy + "/history.yaml")
	require.NoError(t, err)
	added := template(t, "--set", "history.enabled=true,history.tls.secretName="+historyName+"-tls").without(template(t))
	configuration := "ConfigMap " + name + "/" + name
	require.Contains(t, added, configuration)
	delete(added, configuration)
	requireSame(t, "history.enabled", added, parse(t, string(text)))
}

// The component for kustomize changes the controller's Pod, and the sample its configuration, as the chart does.
func TestHistoryComponent(t *testing.T) {
	dir := t.TempDir()
	elsewhere, err := filepath.Abs(deploy)
	require.NoError(t, err)
	relative, err := filepath.Rel(resolved(t, dir), elsewhere)
	require.NoError(t, err)
	write(t, dir+"/kustomization.yaml", fmt.Sprintf("resources: [%[1]s]\ncomponents: [%[1]s/config-map, %[1]s/history]\n", relative))
	made := podOf(t, parse(t, mustKubectl(t, "kustomize", dir)), name)
	all := template(t, "--set", "history.enabled=true")
	want := podOf(t, all, name)
	require.ElementsMatch(t, want.Volumes, made.Volumes)
	require.Equal(t, want.Containers[0].Args, made.Containers[0].Args)
	require.ElementsMatch(t, want.Containers[0].VolumeMounts, made.Containers[0].VolumeMounts)

	sample, err := os.ReadFile(deploy + "/history/plugin.yaml")
	require.NoError(t, err)
	c, err := config.Parse([]byte("plugins:\n" + string(sample)))
	require.NoError(t, err)
	plugins := configured(t, "history: {enabled: true}").PluginSpecs
	require.Equal(t, c.PluginSpecs[0], plugins[len(plugins)-1])
}

// The plugin's parameters match the controller's Pod, and the server accepts the controller alone.
func TestHistoryOfTheController(t *testing.T) {
	all := template(t, "--set", "history.enabled=true")
	plugins := configured(t, "history: {enabled: true}").PluginSpecs
	sink := plugins[len(plugins)-1]
	require.Equal(t, "history-remote", sink.Command)
	require.Len(t, plugins, 3, "the plugins of the default file are kept")
	parameters := map[string]string{}
	for key, value := range sink.Parameters {
		parameters[key] = fmt.Sprint(value)
	}
	require.Equal(t, historyURL, parameters["url"])
	mounted := map[string]corev1.Volume{}
	pod := podOf(t, all, name)
	for _, m := range pod.Containers[0].VolumeMounts {
		for _, v := range pod.Volumes {
			if v.Name == m.Name {
				mounted[m.MountPath] = v
			}
		}
	}
	require.Equal(t, historyName, mounted[filepath.Dir(parameters["caFile"])].ConfigMap.Name)
	require.NotNil(t, mounted[parameters["spoolDirectory"]].EmptyDir)
	token := mounted[filepath.Dir(parameters["tokenFile"])].Projected.Sources[0].ServiceAccountToken
	require.Equal(t, filepath.Base(parameters["tokenFile"]), token.Path)
	args := strings.Join(podOf(t, all, historyName).Containers[0].Args, " ")
	require.Contains(t, args, "--writer-audience="+token.Audience)
	require.Contains(t, args, "--writer=system:serviceaccount:"+name+":"+name)
	require.Equal(t, 1, strings.Count(args, "--writer="))
}

// Selectors of the controller's Pods do not select the Pod of the history server, and the reverse.
func TestHistoryIsNoController(t *testing.T) {
	all := template(t, "--set", "history.enabled=true")
	controller, server := podLabels(t, all, name), podLabels(t, all, historyName)
	for key, o := range all {
		selector := selectorOf(o.Object)
		if selector == nil {
			continue
		}
		ofServer := strings.HasSuffix(key, "/"+historyName)
		if selector.Matches(labels.Set(controller)) == ofServer || selector.Matches(labels.Set(server)) != ofServer {
			t.Errorf("%s selects %s", key, selector)
		}
	}
}

// The certificate is valid for the name under which the controller knows the server, and signed by the published certificate; its key is in
// the Secret alone.
func TestHistoryCertificate(t *testing.T) {
	all := template(t, "--set", "history.enabled=true")
	var secret corev1.Secret
	var published corev1.ConfigMap
	into(t, all["Secret "+name+"/"+historyName+"-tls"].Object, &secret)
	into(t, all["ConfigMap "+name+"/"+historyName].Object, &published)
	pair, err := tls.X509KeyPair([]byte(secret.StringData["tls.crt"]), []byte(secret.StringData["tls.key"]))
	require.NoError(t, err)
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM([]byte(published.Data["ca.crt"])))
	for _, host := range []string{historyName + "." + name + ".svc", historyName} {
		_, err = pair.Leaf.Verify(x509.VerifyOptions{DNSName: host, Roots: roots})
		require.NoError(t, err)
	}
	require.Equal(t, map[string]string{"ca.crt": published.Data["ca.crt"]}, published.Data)
	require.NotContains(t, asText(t, all["ConfigMap "+name+"/"+historyName]), "PRIVATE KEY")
	require.Equal(t, "history", published.Labels["app.kubernetes.io/component"])
}

// With PostgreSQL nothing is on a claim, and the password is in the Secret of the operator alone.
func TestHistoryInPostgreSQL(t *testing.T) {
	all := template(t, "--set", "history.enabled=true,history.postgres.secretName=db")
	require.NotContains(t, all, "StatefulSet "+name+"/"+historyName)
	var d appsv1.Deployment
	into(t, all["Deployment "+name+"/"+historyName].Object, &d)
	require.EqualValues(t, 2, *d.Spec.Replicas)
	c, mounted := d.Spec.Template.Spec.Containers[0], false
	require.Empty(t, c.Env)
	for _, v := range d.Spec.Template.Spec.Volumes {
		if v.Secret == nil || v.Secret.SecretName != "db" {
			continue
		}
		for _, m := range c.VolumeMounts {
			if m.Name == v.Name {
				require.Contains(t, c.Args, "--database-file="+m.MountPath+"/"+v.Secret.Items[0].Path)
				require.True(t, m.ReadOnly)
				mounted = true
			}
		}
	}
	require.True(t, mounted)
	require.Contains(t, c.Args, "--retain-bytes=0")
}

// A release keeps the certificate when it is upgraded, and publishes the certificate that signed it. Pods of the server start in a
// namespace that enforces the restricted security standard.
func TestHistoryOfARelease(t *testing.T) {
	file := t.TempDir() + "/namespace.yaml"
	write(t, file, "{apiVersion: v1, kind: Namespace, metadata: {name: "+name+", labels: {pod-security.kubernetes.io/enforce: restricted}}}")
	mustKubectl(t, "apply", "-f", file)
	r := release{name, name}
	out, err := r.install(t, "--set", "history.enabled=true,history.postgres.secretName=db")
	require.NoError(t, err)
	require.Contains(t, out, "rollout status deployment/"+historyName)
	first := certificateOf(t)
	out = r.upgrade(t, "--set", "history.enabled=true,history.postgres.secretName=db,history.retain=30d")
	require.Contains(t, out, "kubectl framework history -A")
	require.Equal(t, first, certificateOf(t))
	mustKubectl(t, "delete", "secret", historyName+"-tls", "-n", name)
	r.upgrade(t, "--set", "history.enabled=true,history.postgres.secretName=db")
	require.NotEqual(t, first, certificateOf(t))
	r.upgrade(t, "--reset-values")
	left, err := core.CoreV1().Secrets(name).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/component=history"})
	require.NoError(t, err)
	require.Empty(t, left.Items)
}

// certificateOf returns the certificate of the release, after comparing it with the published one.
func certificateOf(t *testing.T) string {
	t.Helper()
	secret, err := core.CoreV1().Secrets(name).Get(t.Context(), historyName+"-tls", metav1.GetOptions{})
	require.NoError(t, err)
	published, err := core.CoreV1().ConfigMaps(name).Get(t.Context(), historyName, metav1.GetOptions{})
	require.NoError(t, err)
	require.Equal(t, strings.TrimSpace(string(secret.Data["ca.crt"])), strings.TrimSpace(published.Data["ca.crt"]))
	return string(secret.Data["tls.crt"])
}

// podOf returns the Pod of a Deployment or StatefulSet.
func podOf(t *testing.T, all objects, of string) corev1.PodSpec {
	t.Helper()
	return templateOf(t, all, of).Spec
}

func podLabels(t *testing.T, all objects, of string) map[string]string {
	t.Helper()
	return templateOf(t, all, of).Labels
}

func templateOf(t *testing.T, all objects, of string) corev1.PodTemplateSpec {
	t.Helper()
	for _, kind := range []string{"Deployment", "StatefulSet"} {
		if o := all[kind+" "+name+"/"+of]; o != nil {
			var d appsv1.Deployment
			into(t, o.Object, &d) // the template is at the same place in both
			return d.Spec.Template
		}
	}
	t.Fatalf("nothing makes Pods of %s", of)
	return corev1.PodTemplateSpec{}
}

// selectorOf returns the selector of an object for Pods; nil if it has none.
func selectorOf(object map[string]any) labels.Selector {
	spec, _ := object["spec"].(map[string]any)
	selector, _ := spec["selector"].(map[string]any)
	if selector == nil {
		selector, _ = spec["podSelector"].(map[string]any)
	}
	if inner, ok := selector["matchLabels"].(map[string]any); ok {
		selector = inner
	}
	if selector == nil {
		return nil
	}
	set := labels.Set{}
	for key, value := range selector {
		set[key] = fmt.Sprint(value)
	}
	return set.AsSelector()
}

func into(t *testing.T, object map[string]any, out any) {
	t.Helper()
	require.NotNil(t, object)
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object, out))
}

// resolved returns a path without symbolic links.
func resolved(t *testing.T, path string) string {
	t.Helper()
	out, err := filepath.EvalSymlinks(path)
	require.NoError(t, err)
	return out
}
