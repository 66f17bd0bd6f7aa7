package collect

import (
	"context"
	"errors"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
)

const (
	// earlyEvery is the pause between two looks for containers whose beginnings can be read.
	earlyEvery = 30 * time.Second
	// earlyAge is the age of a container when the beginning of its log is first read. While the log is shorter than the limit, it is
	// read again at four times the age.
	earlyAge = time.Minute
	// earlyPage is the number of Pods in one answer.
	earlyPage = 200
	// earlyMemory limits all beginnings together, compressed, in bytes.
	earlyMemory = 64 << 20
)

// headKey is one start of a container.
type headKey struct {
	podUID, container string
	start             int32
}

// head is the beginning of the log of a container that runs.
type head struct {
	// due is the time to read it again; zero if it has reached the limit.
	due time.Time
	// first and last are the times of its lines, in nanoseconds since 1970.
	first, last int64
	packed      [][]byte
	bytes       int // size of packed
}

// heads are the beginnings of the logs of containers that run. They stay in memory until the Pods end, because it is not known before
// whether a log is stored.
type heads struct {
	mutex sync.Mutex
	all   map[headKey]head
	bytes int
}

// ReadHeads reads the beginnings of the logs of containers that run, until ctx ends: the kubelet hands out only the newest file of a
// log that it has rotated. Without ReadHeads, the beginnings of such logs are not kept.
func (c *Collector) ReadHeads(ctx context.Context) {
	for {
		if err := c.lookForHeads(ctx, time.Now()); err != nil && ctx.Err() == nil {
			c.Log.Warn("reading the beginnings of logs", "error", err)
		}
		select {
		case <-time.After(earlyEvery):
		case <-ctx.Done():
			return
		}
	}
}

// lookForHeads reads the beginnings that are due, and forgets the Pods that are gone.
func (c *Collector) lookForHeads(ctx context.Context, now time.Time) error {
	there, away := map[string]bool{}, map[string]bool{}
	options := metav1.ListOptions{LabelSelector: v1.KeyTaskRoleName, FieldSelector: "status.phase!=Pending", Limit: earlyPage}
	for {
		page, err := c.Cluster.Pods(ctx, options)
		if err != nil {
			return err
		}
		for i := range page.Items {
			there[string(page.Items[i].UID)] = true
			c.readHeads(ctx, &page.Items[i], now, away)
		}
		if options.Continue = page.Continue; options.Continue == "" {
			c.heads.retain(there)
			return nil
		}
	}
}

// readHeads reads the beginning of the Pod's logs. If the node does not answer, it is added to away, and its Pods wait for the next look:
// one node must not hold up all others.
func (c *Collector) readHeads(ctx context.Context, p *corev1.Pod, now time.Time, away map[string]bool) {
	for _, status := range p.Status.ContainerStatuses {
		if away[p.Spec.NodeName] {
			return
		}
		if status.State.Running == nil || !c.Config.Admits(p.Labels[v1.KeyTaskRoleName], status.Name) {
			continue
		}
		key := headKey{string(p.UID), status.Name, status.RestartCount}
		begun := status.State.Running.StartedAt.Time
		known, ok := c.heads.get(key)
		if ok && (known.due.IsZero() || now.Before(known.due)) || now.Before(begun.Add(earlyAge)) {
			continue
		}
		read, full, err := c.readHead(ctx, p, status.Name)
		switch {
		case err != nil:
			c.Log.Debug("reading the beginning of a log", "namespace", p.Namespace, "pod", p.Name, "error", err)
			read = known
			away[p.Spec.NodeName] = errors.Is(err, context.DeadlineExceeded)
		case known.first != 0 && read.first != known.first:
			read, full = known, true // the beginning is gone by now
		}
		if read.due = now.Add(3 * now.Sub(begun)); full {
			read.due = time.Time{}
		}
		c.heads.put(key, read)
	}
}

// readHead reads the beginning of a log, and reports whether the log is longer.
func (c *Collector) readHead(ctx context.Context, p *corev1.Pod, container string) (h head, full bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, c.earlyWithin)
	defer cancel()
	limit := c.Config.Limits.Head
	kept := logs.NewKept(logs.Limits{Head: limit}, nil)
	// The limit of the kubelet counts the times, too.
	stream, err := c.Cluster.Log(ctx, p.Namespace, p.Name, corev1.PodLogOptions{Container: container, Timestamps: true,
		LimitBytes: new(3*limit + 64<<10)})
	if err != nil {
		return h, false, err
	}
	defer stream.Close()
	if err := logs.Scan(stream, kept.Add); err != nil {
		return h, false, err
	}
	parts := kept.PartsSoFar(c.Config.Redaction)
	if _, isMessage := messageOf(parts); isMessage {
		return h, false, nil
	}
	for i, b := range parts.Head {
		data, err := b.Pack()
		if err != nil {
			return h, false, err
		}
		if i == 0 {
			h.first = b.First
		}
		h.last, h.packed, h.bytes = b.Last, append(h.packed, data), h.bytes+len(data)
	}
	return h, parts.Skipped > 0, nil
}

func (h *heads) get(key headKey) (head, bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	found, ok := h.all[key]
	return found, ok
}

// put replaces an earlier beginning of the same log. Beyond the limit of memory, the beginning is dropped, and not read again.
func (h *heads) put(key headKey, new head) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	h.bytes -= h.all[key].bytes
	if h.bytes+new.bytes > earlyMemory {
		new = head{}
	}
	h.bytes += new.bytes
	h.all[key] = new
}

// retain forgets all Pods but these.
func (h *heads) retain(pods map[string]bool) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for key, known := range h.all {
		if !pods[key.podUID] {
			h.bytes -= known.bytes
			delete(h.all, key)
		}
	}
}

// before prepends the beginning of a log that was read early, if the kubelet has rotated it away since.
func (h *heads) before(key headKey, parts logs.Parts, limit int64) logs.Parts {
	known, ok := h.get(key)
	all := append(parts.Head[:len(parts.Head):len(parts.Head)], parts.Tail...)
	if !ok || len(known.packed) == 0 || limit == 0 || len(all) > 0 && (all[0].First == 0 || all[0].First <= known.last) {
		return parts
	}
	kept := logs.NewKept(logs.Limits{Head: limit}, nil) // a Framework may want less
	for _, data := range known.packed {
		b, err := logs.Unpack(data)
		if err != nil {
			return parts // only damaged memory leads here
		}
		b.Each(func(l logs.Line) bool { return kept.Add(l) == nil })
	}
	early := kept.Parts(nil)
	return logs.Parts{Head: early.Head, HeadBytes: early.HeadBytes, Tail: all, TailBytes: parts.HeadBytes + parts.TailBytes,
		Skipped: historyapi.LogSkipUnknown}
}
