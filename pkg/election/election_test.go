package election

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-hclog"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// contest is some processes that elect a leader, on the clock of the test's bubble.
type contest struct {
	t      *testing.T
	server *fake.Clientset
	begin  time.Time

	mu          sync.Mutex
	version     int             // version of the lease, as last written
	cut         map[string]bool // identities cut off from the API server
	unrenewable map[string]bool // identities that can release the lease, but neither take nor renew it
	slow        time.Duration   // delay of each answer
	late        string          // writes the lease just before the next release; empty for nobody
	led         []string        // identities that have led, in order
}

// candidate is one process.
type candidate struct {
	*Election
	contest *contest
	stop    context.CancelFunc
	result  chan error
	pause   time.Duration // time that it needs to end
}

func newContest(t *testing.T) *contest {
	c := &contest{t: t, server: fake.NewClientset(), begin: time.Now(), cut: map[string]bool{}, unrenewable: map[string]bool{}}
	return c
}

func (c *contest) now() time.Duration { return time.Since(c.begin) }

// enter starts a process whose requests for the lease fail while it is cut off.
func (c *contest) enter(identity string) *candidate {
	o := Options{Namespace: "fc", Name: "lease", Identity: identity, Timing: Defaults, Log: hclog.NewNullLogger()}
	own := fake.NewClientset()
	own.PrependReactor("*", "leases", func(a clienttesting.Action) (bool, runtime.Object, error) {
		u, isUpdate := a.(clienttesting.UpdateAction)
		renewal := isUpdate && *u.GetObject().(*coordinationv1.Lease).Spec.HolderIdentity != ""
		if c.fails(identity, renewal) {
			return true, nil, io.ErrUnexpectedEOF
		}
		if isUpdate && !renewal {
			c.overtake()
		}
		o, err := c.answer(a)
		time.Sleep(c.delay())
		return true, o, err
	})
	n := &candidate{Election: newElection(o, own.CoordinationV1(), c.now), contest: c, result: make(chan error, 1)}
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go func() { n.result <- n.Run(ctx, n.work) }()
	return n
}

func (c *contest) fails(identity string, renewal bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cut[identity] || c.unrenewable[identity] && renewal
}

// answer refuses a write that was not derived from the stored version, as the real server does.
func (c *contest) answer(a clienttesting.Action) (runtime.Object, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w, isWrite := a.(clienttesting.UpdateAction); isWrite {
		lease := w.GetObject().(*coordinationv1.Lease)
		if lease.ResourceVersion != c.stored().ResourceVersion {
			return nil, apierrors.NewConflict(a.GetResource().GroupResource(), "lease", nil)
		}
		c.version++
		lease.ResourceVersion = strconv.Itoa(c.version)
	}
	return c.server.Invokes(a, &coordinationv1.Lease{})
}

// overtake has a write arrive before a release does.
func (c *contest) overtake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.late == "" {
		return
	}
	c.meddle(c.late)
	c.late = ""
}

// meddle sets another holder, whoever has the lease.
func (c *contest) meddle(holder string) {
	lease := c.stored()
	lease.Spec.HolderIdentity, lease.ResourceVersion = &holder, "meddled with"
	if _, err := c.server.CoordinationV1().Leases("fc").Update(c.t.Context(), lease, metav1.UpdateOptions{}); err != nil {
		c.t.Error(err)
	}
}

// remove deletes the Lease, whoever has it.
func (c *contest) remove() {
	if err := c.server.CoordinationV1().Leases("fc").Delete(c.t.Context(), "lease", metav1.DeleteOptions{}); err != nil {
		c.t.Error(err)
	}
}

func (c *contest) delay() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.slow
}

func (c *contest) set(how func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how()
}

func (n *candidate) work(ctx context.Context) error {
	n.contest.set(func() { n.contest.led = append(n.contest.led, n.options.Identity) })
	<-ctx.Done()
	time.Sleep(n.pause)
	return nil
}

// awaitLeader returns how long it has taken until one leads.
func (n *candidate) awaitLeader() time.Duration {
	n.contest.t.Helper()
	from := n.contest.now()
	for !n.Leading() {
		if n.contest.now()-from > time.Minute {
			n.contest.t.Fatalf("%s does not lead", n.options.Identity)
		}
		time.Sleep(10 * time.Millisecond)
	}
	return n.contest.now() - from
}

func (n *candidate) end(want error) {
	n.contest.t.Helper()
	n.stop()
	if err := <-n.result; !errors.Is(err, want) {
		n.contest.t.Errorf("%s: got %v, want %v", n.options.Identity, err, want)
	}
}

// says returns the texts of the probes.
func (n *candidate) says() string {
	ready, notReady := n.Readiness().Look()
	_, dead := n.Liveness().Look()
	text := ready
	if notReady != nil {
		text = notReady.Error()
	}
	if dead != nil {
		text += "; " + dead.Error()
	}
	return text
}

func (c *contest) holder() string {
	if h := c.stored().Spec.HolderIdentity; h != nil {
		return *h
	}
	return ""
}

// stored is the lease as the server has it; empty if it does not exist.
func (c *contest) stored() *coordinationv1.Lease {
	lease, err := c.server.CoordinationV1().Leases("fc").Get(context.Background(), "lease", metav1.GetOptions{})
	if err != nil {
		return &coordinationv1.Lease{}
	}
	return lease
}

// One leads, the other stands by. A leader that is asked to end gives the lease back when its work has ended, and not before.
func TestHandover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		a := c.enter("a")
		a.pause = 3 * time.Second
		a.awaitLeader()
		b := c.enter("b")
		time.Sleep(time.Minute)
		if b.Leading() || !a.Leading() {
			t.Fatal("the leader has changed without need")
		}
		a.stop()
		time.Sleep(a.pause - time.Millisecond)
		if !a.Leading() || c.holder() != "a" {
			t.Errorf("%q has the lease while the work of a goes on", c.holder())
		}
		if took := b.awaitLeader(); took > 2500*time.Millisecond {
			t.Errorf("the handover took %s", took)
		}
		a.end(nil)
		b.end(nil)
		if got := strings.Join(c.led, " "); got != "a b" || c.holder() != "" {
			t.Errorf("%s have led, and %q holds the lease", got, c.holder())
		}
	})
}

// A renewal that was abandoned when the work ended, and arrives late, does not keep the lease. A renewal by somebody else does.
func TestReleaseIsOvertaken(t *testing.T) {
	for late, want := range map[string]string{"": "", "a": "", "b": "b"} {
		synctest.Test(t, func(t *testing.T) {
			c := newContest(t)
			a := c.enter("a")
			a.awaitLeader()
			c.set(func() { c.late = late })
			a.end(nil)
			if c.holder() != want {
				t.Errorf("%q has written, and %q holds the lease", late, c.holder())
			}
		})
	}
}

// A leader that cannot renew the lease stops writing before another one leads, and reports it. It does not give back a lease that may no
// longer be its own.
func TestCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		a := c.enter("a")
		a.awaitLeader()
		b := c.enter("b")
		time.Sleep(10 * time.Second)
		c.set(func() { c.cut["a"] = true })
		from := c.now()
		var silent time.Duration
		for !b.Leading() {
			if err := a.fence.blocked(); err == nil {
				silent = c.now() - from
			}
			time.Sleep(10 * time.Millisecond)
		}
		took := c.now() - from
		if left := took - silent; left < Defaults.RequestTimeout() || took > 13*time.Second {
			t.Errorf("the other one leads after %s, the last write may have begun %s before", took, left)
		}
		if err := <-a.result; !errors.Is(err, ErrLost) || !strings.Contains(err.Error(), "fc/lease was not renewed for") {
			t.Error(err)
		}
		c.set(func() { c.cut["a"] = false })
		time.Sleep(time.Minute)
		if c.holder() != "b" || a.Leading() {
			t.Errorf("%q leads", c.holder())
		}
		b.end(nil)
	})
}

// Somebody has deleted the Lease, or its holder, and another process has it. The former leader stops writing as soon as it reads the
// change, however long its own lease would have lasted.
func TestTakenAway(t *testing.T) {
	t.Run("deleted", func(t *testing.T) { takeAway(t, (*contest).remove) })
	t.Run("cleared", func(t *testing.T) { takeAway(t, func(c *contest) { c.meddle("") }) })
}

func takeAway(t *testing.T, free func(*contest)) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		a := c.enter("a")
		a.awaitLeader()
		b := c.enter("b")
		time.Sleep(10 * time.Second)
		c.set(func() { c.cut["a"] = true }) // or it might be faster
		free(c)
		b.awaitLeader()
		_, end := requireAdmitted(t, a.fence)
		end()
		from := c.now()
		c.set(func() { c.cut["a"] = false })
		if err := <-a.result; !errors.Is(err, ErrLost) || !strings.HasSuffix(err.Error(), ": b has taken fc/lease") {
			t.Error(err)
		}
		if took := c.now() - from; took > Defaults.RetryPeriod {
			t.Errorf("it took %s", took)
		}
		requireRefused(t, a.fence, "not sent: this controller no longer leads")
		time.Sleep(time.Minute)
		if !b.Leading() || c.holder() != "b" {
			t.Errorf("%q has the lease of b", c.holder())
		}
		b.end(nil)
	})
}

// The lease counts from when a renewal was sent: others may have seen it long before its answer arrives.
func TestLeaseCountsFromTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		c.set(func() { c.slow = 2 * time.Second })
		a := c.enter("a")
		took := a.awaitLeader()
		if _, over := a.fence.current(); took < c.slow || -over > Defaults.LeaseDuration-c.slow {
			t.Errorf("the lease lasts for another %s after an answer that took %s", -over, c.slow)
		}
		a.end(nil)
	})
}

// The leader gives up because it cannot renew the lease, and could release it. It does not, as requests of its own may be
// under way, which others have to wait for.
func TestGivingUpDoesNotRelease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		a := c.enter("a")
		a.awaitLeader()
		c.set(func() { c.unrenewable["a"] = true })
		if err := <-a.result; !errors.Is(err, ErrLost) {
			t.Error(err)
		}
		if c.holder() != "a" {
			t.Errorf("the lease was given to %q", c.holder())
		}
	})
}

// Probes report the current state.
func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		want := func(n *candidate, text string) {
			t.Helper()
			if got := n.says(); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		}
		a := c.enter("a")
		a.awaitLeader()
		b := c.enter("b")
		time.Sleep(5 * time.Second)
		want(a, "leading")
		want(b, "standing by; a leads")
		c.set(func() { c.cut["b"] = true })
		time.Sleep(20 * time.Second)
		if got := b.says(); !strings.HasPrefix(got, "to get the lease has failed for ") || !strings.HasSuffix(got, "unexpected EOF") {
			t.Error(got)
		}
		c.set(func() { c.cut["b"] = false })
		time.Sleep(3 * time.Second)
		want(b, "standing by; a leads")
		b.end(nil)

		c.set(func() { c.cut["a"] = true })
		_, over := a.fence.current()
		last := c.now() - over - Defaults.LeaseDuration
		time.Sleep(last + 5600*time.Millisecond - c.now())
		want(a, "not sent: the lease was not renewed for 5.6s")
		<-a.result
		time.Sleep(last + Defaults.LeaseDuration + 10*time.Second - c.now())
		want(a, "not sent: this controller no longer leads")
		time.Sleep(time.Second)
		want(a, "not sent: this controller no longer leads; the lease ended 11s ago, but the process has not")

		idle := newElection(Options{Timing: Defaults}, c.server.CoordinationV1(), c.now)
		want(&candidate{Election: idle}, "standing by")
		time.Sleep(61 * time.Second)
		want(&candidate{Election: idle}, "standing by; there was no request for the lease for 1m1s")
	})
}

// A process that cannot take the lease is not ready, until another one holds it: then the failed request is not tried, and may work when it
// is tried again.
func TestTroubleEndsWhenAnotherOneLeads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newContest(t)
		c.set(func() { c.unrenewable["b"] = true })
		b := c.enter("b")
		want := func(text string) {
			t.Helper()
			if got := b.says(); !strings.HasPrefix(got, text) {
				t.Errorf("got %q, want %q", got, text)
			}
		}
		time.Sleep(20 * time.Second)
		want("to create the lease has failed for 20s: ")

		a := c.enter("a")
		a.awaitLeader()
		time.Sleep(5 * time.Second)
		want("standing by; a leads")
		time.Sleep(time.Minute)
		want("standing by; a leads")

		a.end(nil)
		time.Sleep(15 * time.Second)
		want("standing by")
		time.Sleep(5 * time.Second)
		want("to update the lease has failed for ")
		b.end(nil)
	})
}
