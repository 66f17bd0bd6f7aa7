package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/explained"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/localpage"
)

// showing are the flags of the command ui.
type showing struct {
	historyFlags
	noOpen bool
}

func (c *caller) ui() *cobra.Command {
	s := &showing{historyFlags: historyFlags{caller: c}}
	cmd := &cobra.Command{
		Use:   "ui [NAME] [--no-open]",
		Short: "Open the page of the history server in a browser",
		Long: `Open the page of the history server in a browser.

It shows past and present Frameworks: attempts, timelines, failures, and nodes. With a name, it begins with that Framework.

The command forwards a port of this machine to the history server, adds your own credentials to each request, and opens the browser.
Its address opens one browser, once; other users and other pages get no answer. It runs until Ctrl-C, and goes on with another Pod
of the server when one is replaced.`,
		Args:              atMostArguments(1),
		ValidArgsFunction: c.completeNames(false),
		RunE:              s.run,
	}
	s.addFlags(cmd, "7d")
	cmd.Flags().BoolVar(&s.noOpen, "no-open", false, "Print the address, and open no browser.")
	return cmd
}

func (s *showing) run(cmd *cobra.Command, args []string) error {
	p, err := s.connect(cmd.Context())
	if err != nil {
		return err
	}
	defer p.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	door, address := localpage.NewDoor(listener.Addr().String(), localpage.Handler(p.Proxy(), s.running()))
	address += "#" + s.view(p, args)
	fmt.Fprintln(s.Out, address)
	if !s.noOpen {
		if err := openBrowser(cmd.Context(), address); err != nil {
			fmt.Fprintf(s.ErrOut, "No browser was opened: %v. Open the address yourself.\n", err)
		}
	}
	return serveUntil(cmd.Context(), listener, door)
}

// view returns the place in the page that the flags choose.
func (s *showing) view(p *past, args []string) string {
	if len(args) > 0 {
		return "/frameworks/" + url.PathEscape(p.namespace) + "/" + url.PathEscape(bare(args[0]))
	}
	q := url.Values{}
	if !s.allNamespaces {
		q.Set("namespace", p.namespace)
	}
	if since := s.since.String(); since != "7d" {
		q.Set("since", since)
	}
	return "/?" + q.Encode()
}

// running reads the cluster of the flags; nil without a cluster, as with the server of a demo.
func (s *showing) running() localpage.Cluster {
	k, err := s.cluster()
	if err != nil {
		return nil
	}
	return runningIn{k}
}

// runningIn reads the current Frameworks of a cluster.
type runningIn struct{ *cluster }

// List has the columns that the CRD declares.
func (r runningIn) List(ctx context.Context, namespace string) (*metav1.Table, error) {
	ctx, cancel := r.patient(ctx)
	defer cancel()
	raw, err := bodyOf(r.frameworks.Get().Namespace(namespace).Resource(v1.FrameworkPlural).
		SetHeader("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1").Param("includeObject", string(metav1.IncludeMetadata)).Do(ctx))
	if err != nil {
		return nil, r.inPlainWords(err)
	}
	var table metav1.Table
	if err := json.Unmarshal(raw, &table); err != nil {
		return nil, fmt.Errorf("reading the table of Frameworks: %w", err)
	}
	return &table, nil
}

// Watch reads only metadata, as a status may have megabytes.
func (r runningIn) Watch(ctx context.Context, namespace string, changed func()) error {
	w, err := r.metadata.Namespace(namespace).Watch(ctx, metav1.ListOptions{})
	if err != nil {
		return r.inPlainWords(err)
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		if e.Type == watch.Error {
			return nil // such as a version that has expired, or the end of the server
		}
		changed()
	}
	return nil
}

// Explain reads with the credentials of the user, as the command explain does.
func (r runningIn) Explain(ctx context.Context, namespace, name string) (*localpage.Explained, error) {
	k := *r.cluster
	k.namespace = namespace
	s, err := k.get(ctx, name)
	if err != nil {
		return nil, err
	}
	answer, at, err := k.explain(ctx, s, target{index: -1})
	if err != nil {
		return nil, err
	}
	attempt := int32(0)
	if s.Status != nil {
		attempt = s.Status.AttemptStatus.ID
	}
	e, err := explained.Explanation(answer, attempt, at)
	return &localpage.Explained{UID: string(s.UID), Explanation: e}, err
}

// serveUntil serves until ctx ends, which is how the command ends.
func serveUntil(ctx context.Context, l net.Listener, h http.Handler) error {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// openBrowser opens an address as the desktop of the user does.
func openBrowser(ctx context.Context, address string) error {
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], address)...)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
