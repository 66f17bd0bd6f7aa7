package rbac

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// The history server, with the installed flags and permissions: the controller alone stores, and each user reads what the cluster lets them
// get, by a token or by a certificate.
func TestHistoryServer(t *testing.T) {
	apply(t, "history.yaml")
	server := startHistoryServer(t)
	controller := tokenOf(t, name, historyAudience)
	for what, c := range map[string]struct {
		token string
		want  int
	}{
		"the controller": {controller, http.StatusOK},
		"the controller, with a token for Kubernetes": {tokenOf(t, name, ""), http.StatusUnauthorized},
		"another ServiceAccount":                      {tokenOf(t, historyName, historyAudience), http.StatusForbidden},
		"nobody":                                      {"", http.StatusUnauthorized},
	} {
		if code, text := server.ask(t, http.MethodPost, "/api/v1/records", c.token); code != c.want {
			t.Errorf("%s stores: status %d, %s, want %d", what, code, text, c.want)
		}
	}

	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "reader"}}
	_, err := core.CoreV1().ServiceAccounts("default").Create(t.Context(), account, metav1.CreateOptions{})
	require.NoError(t, err)
	t.Cleanup(func() {
		core.CoreV1().ServiceAccounts("default").Delete(context.Background(), account.Name, metav1.DeleteOptions{})
	})
	bind(t, "view", rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Name: account.Name, Namespace: "default"})
	eventually(t, func(ctx context.Context) error {
		return check(t, ctx, "system:serviceaccount:default:reader", "default", "frameworks", "get", true)
	})
	reader, err := core.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	require.NoError(t, err)
	for query, want := range map[string]int{
		"?namespace=default": http.StatusOK, "?namespace=kube-system": http.StatusForbidden, "": http.StatusForbidden,
	} {
		if code, text := server.ask(t, http.MethodGet, "/api/v1/frameworks"+query, reader.Status.Token); code != want {
			t.Errorf("%q: status %d, %s, want %d", query, code, text, want)
		}
	}
	code, text := server.ask(t, http.MethodGet, "/api/v1/frameworks?namespace=default", controller)
	require.Equal(t, http.StatusUnauthorized, code, text)

	admin, err := rest.TLSConfigFor(kube.Config)
	require.NoError(t, err)
	require.NoError(t, server.answers(t, admin))
}

// historyServer runs as its ServiceAccount.
type historyServer struct {
	url    string
	client *http.Client
}

// startHistoryServer runs this checkout's server with the flags of the manifest until the test ends. It listens elsewhere, and has
// its database in a folder of the test.
func startHistoryServer(t *testing.T) *historyServer {
	t.Helper()
	dir := t.TempDir()
	program, err := clustertest.Install(t.Context(), dir, clustertest.HistoryProgram)
	require.NoError(t, err)
	address, err := launch.FreeAddress()
	require.NoError(t, err)
	args := []string{"--kubeconfig=" + clustertest.KubeconfigOf(t, kube, name, historyName)}
	for _, arg := range installedHistory(t).Spec.Template.Spec.Containers[0].Args {
		flag, _, _ := strings.Cut(arg, "=")
		switch flag {
		case "--address":
			arg = "--address=" + address
		case "--metrics-address":
			arg = "--metrics-address=127.0.0.1:0"
		case "--database":
			arg = "--database=" + filepath.Join(dir, "history.db")
		case "--tls-cert", "--tls-key":
			continue // it then makes one itself
		}
		args = append(args, arg)
	}
	var log bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(log.String())
		}
	})
	s := &historyServer{url: "https://" + address, client: clientWith(&tls.Config{})}
	eventually(t, func(context.Context) error {
		response, err := s.client.Get(s.url + "/readyz")
		if err == nil {
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				err = errors.New(response.Status)
			}
		}
		return err
	})
	return s
}

func installedHistory(t *testing.T) *appsv1.StatefulSet {
	t.Helper()
	s, err := core.AppsV1().StatefulSets(name).Get(t.Context(), historyName, metav1.GetOptions{})
	require.NoError(t, err)
	return s
}

// clientWith does not check the certificate of the server, which no test here is about.
func clientWith(c *tls.Config) *http.Client {
	return &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: &tls.Config{Certificates: c.Certificates, GetClientCertificate: c.GetClientCertificate, InsecureSkipVerify: true}}}
}

// ask returns the status and the text of an answer.
func (s *historyServer) ask(t *testing.T, method, path, token string) (code int, text string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, http.NoBody)
	require.NoError(t, err)
	request.Header.Set("Content-Type", "application/x-protobuf")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := s.client.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}

// answers asks for all Frameworks with a client certificate.
func (s *historyServer) answers(t *testing.T, with *tls.Config) error {
	t.Helper()
	code, text := (&historyServer{url: s.url, client: clientWith(with)}).ask(t, http.MethodGet, "/api/v1/frameworks", "")
	if code != http.StatusOK {
		return fmt.Errorf("with a certificate: status %d, %s", code, text)
	}
	return nil
}

// tokenOf returns a token of a ServiceAccount in the namespace of the controller, for the API server if the audience is empty.
func tokenOf(t *testing.T, account, audience string) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{}
	if audience != "" {
		request.Spec.Audiences = []string{audience}
	}
	token, err := core.CoreV1().ServiceAccounts(name).CreateToken(t.Context(), account, request, metav1.CreateOptions{})
	require.NoError(t, err)
	return token.Status.Token
}
