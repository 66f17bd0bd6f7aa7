package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/metadata"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	historyrecords "github.com/frameworkcontroller/frameworkcontroller/pkg/history/records"
)

// presence reports the existing Frameworks to the sinks of the history: when the controller begins to lead, as nobody has seen earlier
// deletions, and from time to time, as a record of a deletion may be lost.
//
// It lists the Frameworks anew. A cache that is being filled may be between two versions, and lack a Framework that exists.
type presence struct {
	panel   *consult.Panel // nil if there are no plugins
	clients *apiserver.Clients
	now     func() time.Time
	log     hclog.Logger
	again   chan struct{} // buffered: the next list is due soon
}

const (
	// presenceFirst is the time between the first two lists. The time doubles up to presenceMost: a sink may still have records of Frameworks
	// from before the first list.
	presenceFirst, presenceMost = time.Minute, time.Hour
	// presenceSoon is the wait before the next list after an unread Framework has vanished; further ones may vanish meanwhile.
	presenceSoon = 5 * time.Second
	// presenceRetry is the time after which a list that a sink has not stored is repeated.
	presenceRetry = 10 * time.Second
	// presencePage is the number of Frameworks in one answer.
	presencePage = 500
)

func newPresence(c *apiserver.Clients, o Options, now func() time.Time) *presence {
	return &presence{panel: o.Plugins, clients: c, now: now, log: o.Log, again: make(chan struct{}, 1)}
}

// run returns when ctx ends.
func (p *presence) run(ctx context.Context) {
	for next := presenceFirst; ; {
		pause := presenceRetry
		if err := p.send(ctx); err == nil {
			pause, next = next, min(2*next, presenceMost)
		} else if ctx.Err() == nil {
			p.log.Debug("the history does not know yet which Frameworks exist", "error", err)
		}
		select {
		case <-time.After(pause):
			continue
		case <-p.again:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(presenceSoon):
		case <-ctx.Done():
			return
		}
	}
}

// lookAgain makes the next list due soon: a Framework has gone before its status was read, so there is no record of its deletion.
func (p *presence) lookAgain() {
	select {
	case p.again <- struct{}{}:
	default:
	}
}

// send lists the Frameworks if there are sinks, and returns an error if one of them has not stored the list. The list is not kept for it:
// a later one has the same content.
func (p *presence) send(ctx context.Context) error {
	if !p.panel.Archives() {
		return nil
	}
	at := p.now()
	uids, version, err := p.list(ctx)
	if err != nil {
		return fmt.Errorf("listing frameworks: %w", err)
	}
	var dropped error
	err = p.panel.Archive(ctx, historyrecords.Presence(uids, version, at), func(sink string, why error) {
		dropped = errors.Join(dropped, fmt.Errorf("%s: %w", sink, why))
	})
	return errors.Join(err, dropped)
}

// listPage limits the time of one request, which connections for watches do not.
func listPage(ctx context.Context, of metadata.Getter, options metav1.ListOptions) (*metav1.PartialObjectMetadataList, error) {
	ctx, cancel := context.WithTimeout(ctx, apiserver.RequestTimeout)
	defer cancel()
	return of.List(ctx, options)
}

// list returns the UIDs of all Frameworks as of one version.
func (p *presence) list(ctx context.Context) (uids []string, version string, err error) {
	frameworks := p.clients.FrameworkWatch.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural))
	options := metav1.ListOptions{Limit: presencePage}
	for {
		page, err := listPage(ctx, frameworks, options)
		if err != nil {
			return nil, "", err
		}
		if version == "" {
			version = page.ResourceVersion
		}
		if page.ResourceVersion != version {
			return nil, "", fmt.Errorf("a page is of version %s, and the first of %s", page.ResourceVersion, version)
		}
		for i := range page.Items {
			uids = append(uids, string(page.Items[i].UID))
		}
		if options.Continue = page.Continue; options.Continue == "" {
			return uids, version, nil
		}
	}
}
