package controller

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/specwarnings"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// reader brings records up to date with the stored Frameworks.
type reader struct {
	clients    *apiserver.Clients
	watches    *watches
	queue      *roundQueue
	limiter    *flowcontrol.Limiter
	memory     *flowcontrol.MemoryBudget
	largeReads flowcontrol.LargeReads
	writer     *writer
	reporter   *reporter
	server     *apiserver.Server
	archiver   *archiver
	now        func() time.Time
	// compressEarly makes large statuses be stored compressed before it is necessary.
	compressEarly bool
}

// read brings the record up to date with the stored Framework. It asks the API server the first time, and whenever anybody
// else may have written the object since: the spec and the status of a round are then consistent, however far the cache lags
// (decisions, W7). stored is false if there is nothing to do: the Framework is gone, belongs to another controller, or its
// status is invalid.
func (rd *reader) read(ctx context.Context, r *record) (stored bool, err error) {
	known := rd.watches.framework(r.key)
	if known == nil {
		rd.forget(r)
		return false, nil
	}
	if known.GetUID() != r.uid && versionAfter(known.GetResourceVersion(), r.stored.version) {
		rd.reset(r, known.GetUID())
	}
	if r.stored.elsewhere {
		return false, nil
	}
	r.reported.gone, r.reported.podsGoneSince = false, time.Time{}
	rd.readmit(r)
	if !r.stored.unread && !versionAfter(known.GetResourceVersion(), r.stored.version) {
		return r.stored.leftAlone == nil, nil
	}
	start := time.Now()
	body, done, err := rd.readStored(ctx, r)
	if apierrors.IsNotFound(err) {
		// The watch will report it. If it does not, it was not the object that was not found, but the path to it.
		rd.queue.AddAfter(r.key, flowcontrol.MaxDelay)
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("reading framework %s: %w", r.key, err)
	}
	defer done() // even if a bug ends the round
	rd.limiter.ObserveRead(time.Since(start))
	if usable, err := rd.load(ctx, r, body, done); err != nil || !usable {
		return false, err
	}
	return true, rd.confirmConfigMap(ctx, r)
}

// readStored reads the stored Framework. The caller must call done when it no longer needs the text, and may call it again;
// done is not nil unless there is an error.
func (rd *reader) readStored(ctx context.Context, r *record) (text []byte, done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, apiserver.RequestTimeout) // includes the wait for its turn
	defer cancel()
	answer, err := getStored(rd.clients, r.key).Stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Close()
	return rd.largeReads.Read(ctx, answer)
}

func getStored(c *apiserver.Clients, key cache.ObjectName) *rest.Request {
	return c.Frameworks.Get().Namespace(key.Namespace).Resource(v1.FrameworkPlural).Name(key.Name)
}

// managedElsewhere reports whether a stored spec assigns the Framework to another controller. That never changes, so nothing
// else of it is read or reported: neither its status nor its events are ours to write. A spec with an invalid managedBy is
// ours, and is reported as invalid.
func managedElsewhere(spec json.RawMessage) bool {
	var who struct {
		ManagedBy string `json:"managedBy"`
	}
	err := json.Unmarshal(spec, &who)
	return err == nil && who.ManagedBy != "" && who.ManagedBy != v1.ManagedByThis
}

// confirmConfigMap asks, before the first round, whether the recorded ConfigMap still exists. A cache filled by a lagging
// server may show one that is gone, and Pods created under it would outlive their attempt.
func (rd *reader) confirmConfigMap(ctx context.Context, r *record) error {
	if r.dependents.configMapConfirmed || r.status.saved == nil || r.status.saved.Framework().AttemptStatus.ConfigMapUID == nil {
		return nil
	}
	if s := r.status.saved.Framework().State; s == v1.AttemptCompleted || s == v1.Completed {
		// An attempt is stored as ended only after its ConfigMap is gone, and nothing is created under it afterwards. A cache that
		// still shows the ConfigMap is outdated, and a deletion based on it has its UID.
		r.dependents.configMapConfirmed = true
		return nil
	}
	o := configMapObject(rd.clients, r)
	found, err := o.get(ctx, o.name)
	if err != nil {
		r.stored.unread = true
		return fmt.Errorf("reading configmap %s/%s: %w", r.key.Namespace, o.name, err)
	}
	r.dependents.configMapConfirmed = true
	if (found == nil || found.GetUID() != r.status.configMapUID()) && rd.neverSeen(r) {
		return nil
	}
	r.dependents.configMap.applyRead(result{object: found})
	if r.dependents.configMap.unlabelled() {
		r.schedule.retryNotAfter(rd.now().Add(flowcontrol.MaxDelay))
	}
	if recorded := r.status.configMapUID(); found == nil || found.GetUID() != recorded {
		r.dependents.configMap.deletedUID = recorded // even if the cache still shows it
	}
	return nil
}

// neverSeen reports whether no cache has shown the recorded ConfigMap yet: its attempt is given up after the timeout, and not
// before (contract 2.4, F6 and F7).
func (rd *reader) neverSeen(r *record) bool {
	cached := rd.watches.configMap(r.key.Namespace, configMapName(r))
	return r.status.saved.Framework().State == v1.AttemptCreationRequested && (cached == nil || cached.GetUID() != r.status.configMapUID())
}

// versionAfter reports whether one resourceVersion is later than the other. Any version is later than none.
func versionAfter(a, b string) bool {
	return b == "" || newer(&metav1.ObjectMeta{ResourceVersion: a}, &metav1.ObjectMeta{ResourceVersion: b}) && a != b
}

// load enters a stored Framework into the record. It calls decoded before any request to the API server.
func (rd *reader) load(ctx context.Context, r *record, body []byte, decoded func()) (usable bool, err error) {
	var stored storedFramework
	if err := json.Unmarshal(body, &stored); err != nil {
		return false, fmt.Errorf("decoding framework %s: %w", r.key, err)
	}
	if err := rd.notRestored(r, stored.Metadata.ResourceVersion); err != nil {
		return false, err
	}
	if stored.Metadata.UID != r.uid {
		rd.reset(r, stored.Metadata.UID)
	}
	r.stored.version, r.stored.unread, r.stored.leftAlone = stored.Metadata.ResourceVersion, false, nil
	if managedElsewhere(stored.Spec) {
		r.stored.elsewhere = true
		return false, nil
	}
	r.status.bytesLeft = statusjson.StorageBytes - (len(body) - len(stored.Status))
	r.stored.meta, r.stored.spec = stored.Metadata, stored.Spec
	r.schedule.lookAtAll()
	r.desired.set(nil, false)
	why, err := rd.decode(r, &stored)
	decoded()
	if err != nil {
		r.stored.rawStatus = stored.Status
		return false, rd.markInvalid(ctx, r, why, err)
	}
	if admitted, err := rd.admit(ctx, r, &stored); !admitted {
		return false, err
	}
	spec := r.framework.Spec
	if r.specIsUnreported() {
		rd.reporter.warnOfSpec(r, stored.Metadata.Name, spec)
	}
	if err := cmp.Or(checkSize(spec), r.checkItems()); err != nil && r.status.saved == nil {
		r.stored.rawStatus = stored.Status
		return false, rd.markInvalid(ctx, r, reason.SpecInvalid, err)
	}
	r.desired.set(r.status.saved, createsNothing(&r.framework))
	return true, nil
}

// notRestored returns an error if the storage once had a later version of the Framework, or is known to be restored from a
// backup. The controller then exits, and must not overwrite stored data with its memory.
func (rd *reader) notRestored(r *record, version string) error {
	rd.server.NoteVersions(r.stored.version, version)
	if err := rd.server.WhyRestored(); err != nil {
		return fmt.Errorf("reading framework %s: %w", r.key, err)
	}
	return nil
}

// decode enters spec and status into the record. If one of them is invalid, it returns the reason and the error to report on
// the Framework.
func (rd *reader) decode(r *record, stored *storedFramework) (why reason.Event, err error) {
	spec, err := decodeSpec(stored.Spec)
	if err != nil {
		return reason.SpecInvalid, err
	}
	r.setSpec(&stored.Metadata, spec)
	r.questions.askWaitingAgain() // the answers may have changed
	if err := rd.loadStatus(r, stored.Status); err != nil {
		return reason.StatusInvalid, err
	}
	r.readSpecItems(spec)
	r.followItems()
	return "", nil
}

func (r *record) setSpec(m *metav1.ObjectMeta, spec *v1.FrameworkSpec) {
	if r.framework.Generation != m.Generation {
		r.builders = nil
		r.blockers.unresolvable = specwarnings.Unresolvable(m.Name, spec)
		r.blockers.forgetRoles(spec)
		r.dependents.forgetRefusals()
		if hasLargeTemplate(spec) {
			r.blockers.pods.TryOne()
		}
	}
	r.given = spec
	r.framework = lifecycle.Framework{
		Name:       m.Name,
		UID:        m.UID,
		Generation: m.Generation,
		Deleting:   m.DeletionTimestamp != nil,
		Spec:       spec,
	}
}

// loadStatus decides which status counts. Once this process has stored one for this object, its own counts: a write without an
// answer may have taken effect, and anything else was edited by hand and is overwritten by the next round (decisions, "Status
// edited by hand").
func (rd *reader) loadStatus(r *record, stored json.RawMessage) error {
	if r.status.saved != nil {
		rd.reconcileStatus(r, stored)
		return nil
	}
	state, err := decodeStatus(stored)
	if err != nil {
		return err
	}
	r.status.saved, r.status.uncertain, r.dependents.configMapConfirmed = state, nil, state == nil
	r.blockers.restore(r.key.Name, state, rd.now())
	return nil
}
