package kubectl

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// historyURL is the variable of the environment that --history-url replaces.
const historyURL = "FRAMEWORK_HISTORY_URL"

// historyFlags are the flags of the commands that read the history server, including flags that select the rows of a list.
type historyFlags struct {
	*caller
	url, namespace string
	insecure       bool
	allNamespaces  bool
	since          age
}

func (h *historyFlags) addFlags(cmd *cobra.Command, since string) {
	f := cmd.Flags()
	if err := h.since.Set(since); err != nil {
		panic(err) // a default of ours
	}
	f.Var(&h.since, "since", "Begin of the time range, before now: 30d, 12h or 1d12h, for example.")
	f.BoolVarP(&h.allNamespaces, "all-namespaces", "A", false, "Read all namespaces.")
	h.addServerFlags(cmd)
}

// addServerFlags adds the flags that choose the server.
func (h *historyFlags) addServerFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&h.url, "history-url", "", "URL of the history server. By default it is $"+historyURL+", or else a port is forwarded to the server's Service.")
	f.StringVar(&h.namespace, "history-namespace", historyclient.DefaultNamespace, "Namespace of the Service of the history server.")
	f.BoolVar(&h.insecure, "history-insecure", false, "Accept any certificate of the history server. Somebody between you and the server can then read your credentials.")
}

// past is the history server that the flags choose, and the namespace to ask for; all if it is empty.
type past struct {
	*historyclient.Client
	flags *historyFlags
	// namespace is the namespace of a named Framework.
	namespace string
	within    time.Duration
}

// filter returns the namespace and the time range of the flags.
func (p *past) filter() historyclient.Filter {
	of := historyclient.Filter{Namespace: p.namespace, Since: time.Now().Add(-time.Duration(p.flags.since))}
	if p.flags.allNamespaces {
		of.Namespace = ""
	}
	return of
}

// serverURL is the URL that was given; empty to look for the server in the cluster.
func (h *historyFlags) serverURL() string { return cmp.Or(h.url, os.Getenv(historyURL)) }

// connect returns the history server. The caller closes it.
func (h *historyFlags) connect(ctx context.Context) (*past, error) {
	server := h.serverURL()
	config, err := h.flags.ToRESTConfig()
	switch {
	case err != nil && server != "" && clientcmd.IsEmptyConfig(err):
		config = &rest.Config{} // the server of a demo needs no cluster
	case err != nil:
		return nil, err
	}
	p := &past{flags: h, within: cmp.Or(config.Timeout, answerWithin)}
	if p.namespace, _, err = h.flags.ToRawKubeConfigLoader().Namespace(); err != nil {
		return nil, err
	}
	asked := rest.CopyConfig(config)
	asked.Timeout, asked.QPS = 0, -1
	p.Client, err = historyclient.Connect(ctx, asked, historyclient.Options{URL: server, Namespace: h.namespace, Insecure: h.insecure, Timeout: p.within})
	if err != nil {
		return nil, p.notConnected(err)
	}
	return p, nil
}

// notConnected explains why there is no connection to the history server, with the way out.
func (p *past) notConnected(err error) error {
	var none *historyclient.NoServer
	var several *historyclient.SeveralServers
	switch {
	case errors.As(err, &none) && len(none.Others) > 0:
		return fmt.Errorf("%w, but there is one in %s: if you trust who runs it, add --history-namespace %s", err, strings.Join(none.Others, ", "), none.Others[0])
	case errors.As(err, &none):
		return fmt.Errorf("%w: install the history server, or name it with --history-namespace or --history-url", err)
	case errors.As(err, &several):
		return fmt.Errorf("%w; forward a port to one of them, and name it with --history-url", err)
	case errors.Is(err, historyclient.ErrNoCA):
		return fmt.Errorf("the certificate of the history server cannot be verified: %w; if you trust the way to it, add --history-insecure", err)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w: to reach the history server, you need permission in its namespace to list Services and Pods, to get ConfigMaps, and to forward ports of Pods (create pods/portforward); or name its URL with --history-url", err)
	}
	return err
}

// inPlainWords explains an error of the history server, with the way out.
func (p *past) inPlainWords(err error) error {
	var refusal *historyclient.Refusal
	var certificate *tls.CertificateVerificationError
	var connection *url.Error
	switch {
	case errors.As(err, &refusal):
		return p.refused(refusal)
	case errors.As(err, &certificate):
		return fmt.Errorf("the certificate of the history server is not accepted: %w; if you trust the way to it, add --history-insecure", certificate.Err)
	case errors.As(err, &connection) && connection.Timeout():
		return fmt.Errorf("the history server has not answered within %s: choose less with --since, or set a longer --request-timeout", p.within)
	case errors.As(err, &connection):
		return fmt.Errorf("the history server does not answer: %w; check whether it runs, or name another one with --history-url", connection.Err)
	}
	return err
}

func (p *past) refused(r *historyclient.Refusal) error {
	switch r.Status {
	case http.StatusUnauthorized:
		return fmt.Errorf("the history server does not accept your credentials: %w; kubectl auth whoami shows whether the cluster does", r)
	case http.StatusForbidden:
		advice := "ask an administrator for the role view there"
		if p.flags.allNamespaces {
			advice = "leave out -A, or ask an administrator"
		}
		return fmt.Errorf("the history server refuses: %w; you need the permission to get frameworks %s: %s", r, p.where(), advice)
	case http.StatusNotFound:
		return fmt.Errorf("%w; kubectl framework history -A shows all Frameworks of the history", r)
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return fmt.Errorf("the history server is busy: %w; try again later", r)
	}
	return fmt.Errorf("the history server refuses: %w", r)
}

// where words the namespaces that are read.
func (p *past) where() string {
	if p.flags.allNamespaces {
		return "in all namespaces"
	}
	return "in namespace " + p.namespace
}
