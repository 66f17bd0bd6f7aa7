package controller

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/flowcontrol"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

// logs are the Pods of a Framework whose logs are collected, or given up. A restart forgets them, and the sinks are asked again.
type logs struct {
	collected map[lifecycle.TaskRef]types.UID
}

func (l *logs) finish(a lifecycle.CollectLogs) {
	if l.collected == nil {
		l.collected = map[lifecycle.TaskRef]types.UID{}
	}
	l.collected[a.Task] = a.UID
}

// forgetTasks forgets the Tasks that are gone.
func (l *logs) forgetTasks(exists func(lifecycle.TaskRef) bool) {
	maps.DeleteFunc(l.collected, func(ref lifecycle.TaskRef, _ types.UID) bool { return !exists(ref) })
}

// logCollector asks the sinks of the history to collect logs of Pods. A Pod may be deleted after any answer.
type logCollector struct {
	panel    *consult.Panel // nil if there are no plugins
	observer Observer
	log      hclog.Logger
	ctx      context.Context // ends when the controller stops
	// pool lets Frameworks take turns. Ten thousand Pods may end at once.
	pool *flowcontrol.Pool
}

const (
	// logPatience limits the time for which a Pod is kept for its logs, including the wait for its turn.
	logPatience = 5 * time.Second
	// logsAtATime limits the questions at the same time, one for each Pod.
	logsAtATime = 64
)

func newLogCollector(ctx context.Context, o Options) *logCollector {
	l := &logCollector{panel: o.Plugins, observer: o.Observer, log: o.Log, ctx: ctx, pool: flowcontrol.NewPool()}
	l.pool.DisableHandoff = true // the limit is for the Pods under way
	return l
}

// LogsMissed is the reason why logs are lost, or may be.
type LogsMissed string

// The reasons, as labels of metrics.
const (
	// LogsBusy: the turn of the Pod did not come in time.
	LogsBusy LogsMissed = "busy"
	// LogsTimeout: a sink has not answered in time.
	LogsTimeout LogsMissed = "timeout"
	// LogsFailed: a sink has answered with an error, or cannot be asked.
	LogsFailed LogsMissed = "failed"
)

// AllLogsMissed lists the reasons.
func AllLogsMissed() []LogsMissed { return []LogsMissed{LogsBusy, LogsTimeout, LogsFailed} }

// collectLogs asks about Pods, each by itself: a Pod is not kept for the logs of others.
func (k *asker) collectLogs(r *record, asked []lifecycle.CollectLogs) {
	templates := map[string][]*pluginpb.LoggedContainer{}
	for _, a := range asked {
		k.logs.submit(k, r, a, k.logsQuestion(r, a, templates))
	}
}

// logsQuestion returns nil if the Pod has no logs, as far as known. Templates caches the containers of roles for Pods that run.
func (k *asker) logsQuestion(r *record, a lifecycle.CollectLogs, templates map[string][]*pluginpb.LoggedContainer) *pluginpb.CollectLogsRequest {
	t, role := r.status.saved.Task(a.Task), roleNamed(r.framework.Spec, a.Task.Role)
	if t == nil {
		return nil
	}
	var wishes *v1.TaskLogsSpec
	if role != nil {
		wishes = role.Task.Logs
	}
	q := consult.NewLogsQuestion(r.inQuestion(), a.Task, t, wishes)
	q.PodUid = string(a.UID)
	pod, whole := k.loggedPod(r, a)
	switch {
	case whole:
		q.Containers = consult.LoggedContainers(&pod.Status)
	case role != nil && pod != nil && pod.Status.Phase != corev1.PodRunning:
		q.Containers = consult.ContainersOfTemplate(role.Task.Pod, pod.Status.Phase)
	case role != nil:
		if templates[role.Name] == nil {
			templates[role.Name] = consult.ContainersOfTemplate(role.Task.Pod, corev1.PodRunning)
		}
		q.Containers = templates[role.Name]
	}
	if len(q.Containers) == 0 {
		return nil
	}
	return q
}

// loggedPod returns the Pod, and whether all its containers are known; nil if the Pod is not known.
func (k *asker) loggedPod(r *record, a lifecycle.CollectLogs) (pod *corev1.Pod, whole bool) {
	cached := k.watches.cachedPod(r.key.Namespace, r.podName(a.Task))
	pod = k.knownPod(r, a.Task, a.UID)
	return pod, pod != nil && (cached == nil || pod != &cached.Pod)
}

func roleNamed(spec *v1.FrameworkSpec, name string) *v1.TaskRoleSpec {
	for i := range spec.TaskRoles {
		if spec.TaskRoles[i].Name == name {
			return &spec.TaskRoles[i]
		}
	}
	return nil
}

// submit asks the sinks when it is the Framework's turn. Q is nil if there is nothing to ask.
func (l *logCollector) submit(k *asker, r *record, a lifecycle.CollectLogs, q *pluginpb.CollectLogsRequest) {
	r.questions.open[a] = true
	key, uid, until := r.key, r.uid, time.Now().Add(logPatience)
	l.pool.Submit(key, false, flowcontrol.Job{Wanted: func() bool { return true }, Do: func(context.Context) {
		if why, err := l.collect(q, until); err != nil {
			l.observer.LogsNotCollected(why)
			l.log.Debug("logs not collected", "framework", key.String(), "task", a.Task.String(), "pod_uid", a.UID, "why", why, "error", err)
		}
		k.enqueue(key, answer{uid, []lifecycle.Action{a}, func(r *record) {
			r.logs.finish(a)
			r.schedule.lookAt(a.Task)
		}})
	}})
}

var errNoTurn = errors.New("too many logs are being collected")

// collect returns a reason only with an error.
func (l *logCollector) collect(q *pluginpb.CollectLogsRequest, until time.Time) (LogsMissed, error) {
	ctx, cancel := context.WithDeadline(l.ctx, until)
	defer cancel()
	switch {
	case q == nil:
		return "", nil
	case ctx.Err() != nil:
		return LogsBusy, errNoTurn
	}
	err := l.panel.CollectLogs(ctx, q)
	if fault := new(*pluginhost.Fault); errors.Is(err, context.DeadlineExceeded) || errors.As(err, fault) && (*fault).Kind == pluginhost.Timeout {
		return LogsTimeout, err
	}
	return LogsFailed, err
}
