package controller

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/go-hclog"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/hintobjects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/deadline"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// asker puts questions to plugins. The answers come back as events.
type asker struct {
	panel    *consult.Panel // nil if there are no plugins
	clients  *apiserver.Clients
	watches  *watches
	watched  *hintobjects.Watches[[]byte] // watches the objects of hints
	kinds    *hintobjects.Kinds
	served   *hintobjects.ServedVersions
	reporter *reporter
	enqueue  func(cache.ObjectName, event)
	log      hclog.Logger
	now      func() time.Time

	archiver *archiver
	logs     *logCollector
	events   *podEvents
	shadow   *shadow

	underWay sync.WaitGroup  // questions under way
	ctx      context.Context // of questions; ends when the controller stops
}

// answer is the outcome of questions.
type answer struct {
	framework types.UID // that the questions were about
	questions []lifecycle.Action
	// apply enters the answers into the record.
	apply func(*record)
}

func (answer) isEvent() {}

// inquiry finds answers. It must not touch the record; the function that it returns applies them.
type inquiry func(context.Context) (apply func(*record))

// askAll starts asking the questions. Failed Pods are judged in one batch, Pods that do not start in another, and attempts of
// Tasks are archived in a third; every other question is asked separately.
func (k *asker) askAll(r *record, asked []lifecycle.Action) {
	var pods []lifecycle.ClassifyPod
	var starts []lifecycle.JudgeStart
	var ended []lifecycle.ArchiveTask
	var logged []lifecycle.CollectLogs
	for _, a := range asked {
		switch a := a.(type) {
		case lifecycle.ClassifyPod:
			pods = append(pods, a)
		case lifecycle.JudgeStart:
			starts = append(starts, a)
		case lifecycle.ArchiveTask:
			ended = append(ended, a)
		case lifecycle.ArchiveAttempt:
			k.archiveAttempt(r, a)
		case lifecycle.CollectLogs:
			logged = append(logged, a)
		case lifecycle.DecideCompletion:
			k.ask(r, k.decide(r, a), a)
		case lifecycle.AskHints:
			k.ask(r, k.askHints(r, a), a)
		case lifecycle.PrepareHints:
			k.ask(r, k.prepareHints(r, a), a)
		}
	}
	if len(pods) > 0 {
		k.classifyAll(r, pods)
	}
	if len(starts) > 0 {
		k.judgeStarts(r, starts)
	}
	if len(ended) > 0 {
		k.archiveTasks(r, ended)
	}
	if len(logged) > 0 {
		k.collectLogs(r, logged)
	}
}

func (k *asker) ask(r *record, find inquiry, asked ...lifecycle.Action) {
	for _, a := range asked {
		r.questions.open[a] = true
	}
	key, uid := r.key, r.uid
	k.underWay.Go(func() {
		k.enqueue(key, answer{uid, asked, k.findGuarded(key, find, asked)})
	})
}

// findGuarded recovers from a panic during a question, which then counts as unanswered. The cause may be a bug in handling a
// plugin's answer.
func (k *asker) findGuarded(key cache.ObjectName, find inquiry, asked []lifecycle.Action) (apply func(*record)) {
	defer func() {
		if cause := recover(); cause != nil {
			err := panicked(k.log, key, cause)
			apply = func(r *record) {
				for _, a := range asked {
					k.postpone(r, a, err)
				}
			}
		}
	}()
	return find(k.ctx)
}

// postpone records that a question cannot be answered now, and schedules it again.
func (k *asker) postpone(r *record, a lifecycle.Action, err error) {
	r.questions.waiting[topic(a)] = waitingQuestion{question: a, why: err}
	pause := askAgainAfter
	if later := new(retryLaterError); errors.As(err, &later) {
		pause = later.after
	}
	r.schedule.retryNotAfter(k.now().Add(pause))
	r.schedule.lookAtAll() // the condition shows it
	k.log.Debug("waiting for a plugin", "framework", r.key.String(), "question", a.String(), "error", err)
}

func (r *record) handleAnswer(n answer) {
	if n.framework != r.uid {
		return
	}
	for _, a := range n.questions {
		delete(r.questions.open, a)
		delete(r.questions.waiting, topic(a))
		r.dropRestored(a, nil)
	}
	n.apply(r)
}

// classifyAll asks about failed Pods. A Pod that is no longer known is skipped: the next round finds out its fate.
func (k *asker) classifyAll(r *record, asked []lifecycle.ClassifyPod) {
	var questions []lifecycle.Action
	var pods []consult.FailedPod
	for _, a := range asked {
		if pod := k.knownPod(r, a.Task, a.UID); pod != nil {
			questions, pods = append(questions, a), append(pods, k.question(r, a.Task, pod))
		}
	}
	k.askClassifiers(r, questions, pods, "what the failure of Pods means", func(r *record, i int, j consult.Judgment) {
		k.applyVerdict(r, questions[i].(lifecycle.ClassifyPod), j)
	})
}

// askClassifiers asks about Pods, each of which belongs to the question with the same index. About says what is asked.
func (k *asker) askClassifiers(r *record, questions []lifecycle.Action, pods []consult.FailedPod, about string, apply func(*record, int, consult.Judgment)) {
	panel, uses, inShadow := k.panel, r.uses(), k.shadow.question(r, pods)
	k.ask(r, func(ctx context.Context) func(*record) {
		skipped, begin := skippedPlugins{}, k.now()
		judged := panel.Classify(ctx, uses, pods, skipped.add)
		took := k.now().Sub(begin)
		k.shadow.ask(inShadow, judged)
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, about)
			for i, pod := range pods {
				j := judged[pod.Question.GetUid()]
				if r.archive.wanted && j.Decides() {
					ref := lifecycle.TaskRef{Role: pod.Question.GetTaskRole(), Index: pod.Question.GetTaskIndex()}
					r.archive.noteVerdict(ref, pod.Question, j.Answer, took)
				}
				apply(r, i, j)
			}
		}
	}, questions...)
}

func (k *asker) applyVerdict(r *record, a lifecycle.ClassifyPod, j consult.Judgment) {
	if j.Err != nil {
		k.postpone(r, a, j.Err)
		return
	}
	r.questions.verdicts[a.Task] = &lifecycle.Verdict{PodUID: a.UID, Status: j.Status, Advice: j.Advice, AvoidNode: j.AvoidNode, MemoryFactor: j.MemoryFactor}
	r.schedule.lookAt(a.Task)
}

// knownPod returns the most complete known form of a Pod; nil if it is not known.
func (k *asker) knownPod(r *record, ref lifecycle.TaskRef, uid types.UID) *corev1.Pod {
	name := r.podName(ref)
	// Objects from answers come first: they are dropped when the cache has something newer.
	if f := r.dependents.pods[name]; f != nil {
		if p, ok := f.live.(*corev1.Pod); ok && p.UID == uid {
			return p
		}
	}
	if p := k.watches.cachedPod(r.key.Namespace, name); p != nil && p.UID == uid {
		if whole := p.Unpack(); whole != nil {
			return whole
		}
		return &p.Pod
	}
	return nil
}

// inQuestion returns the Framework in the form that questions use.
func (r *record) inQuestion() *pluginpb.Framework {
	return &pluginpb.Framework{
		Namespace:   r.key.Namespace,
		Name:        r.key.Name,
		Uid:         string(r.uid),
		AttemptId:   r.status.saved.Framework().AttemptStatus.ID,
		Labels:      r.stored.meta.Labels,
		Annotations: r.stored.meta.Annotations,
	}
}

// question returns the question to plugins about a failed Pod.
func (k *asker) question(r *record, ref lifecycle.TaskRef, p *corev1.Pod) consult.FailedPod {
	failed := consult.NewFailedPod(r.inQuestion(), ref, p, podview.OutcomeOf(p))
	failed.Events = k.events.of(p)
	if t := r.status.saved.Task(ref); t != nil {
		failed.Question.TaskAttemptId = t.AttemptStatus.ID
		failed.Question.Earlier = podverdict.EarlierOf(t)
	}
	return failed
}

// judgeStarts asks about Pods that do not get to run. A Pod whose obstacle is no longer known is skipped: the next round finds
// out its fate.
func (k *asker) judgeStarts(r *record, asked []lifecycle.JudgeStart) {
	var questions []lifecycle.Action
	var pods []consult.FailedPod
	var about []deadline.Pending
	for _, a := range asked {
		pod := k.knownPod(r, a.Task, a.UID)
		pending, ok := deadline.PendingOf(r.framework.Spec, a.Task.Role, r.status.saved.Task(a.Task))
		if pod == nil || !ok || pending.Kind != a.Kind {
			continue
		}
		questions = append(questions, a)
		pending.Now = k.now()
		pending.Reason, pending.Message, pending.Container = podview.WordsOf(pod)
		pods = append(pods, k.question(r, a.Task, pod).WithPending(pending))
		about = append(about, pending)
	}
	if len(questions) == 0 {
		return
	}
	k.askClassifiers(r, questions, pods, "whether Pods that do not run may take longer", func(r *record, i int, j consult.Judgment) {
		k.applyStartVerdict(r, questions[i].(lifecycle.JudgeStart), about[i], j)
	})
}

func (k *asker) applyStartVerdict(r *record, a lifecycle.JudgeStart, about deadline.Pending, j consult.Judgment) {
	if j.Err != nil {
		k.postpone(r, a, j.Err)
		return
	}
	v := &deadline.Verdict{PodUID: a.UID, Kind: about.Kind, Since: about.Since}
	switch {
	case j.Wait > 0:
		v.Until = k.now().Add(j.Wait)
	case !j.NoOpinion:
		v.Status, v.Advice, v.AvoidNode = &j.Status, j.Advice, j.AvoidNode
	}
	r.questions.startVerdicts[a.Task] = v
	r.schedule.lookAt(a.Task)
}

// decide asks whether the attempt should end.
func (k *asker) decide(r *record, a lifecycle.DecideCompletion) inquiry {
	panel := k.panel
	uses := r.uses()
	if hints := r.status.saved.Framework().AttemptStatus.SchedulerHints; hints != nil {
		uses = panel.WithoutLost(uses, hints.Plugin) // it is not a completion policy
	}
	question := &pluginpb.DecideRequest{Framework: r.inQuestion(), Digest: a.Digest}
	for i := range r.framework.Spec.TaskRoles {
		question.Roles = append(question.Roles, consult.RoleProgress(&r.framework.Spec.TaskRoles[i], r.status.saved, r.questions.finishedAt))
	}
	return func(ctx context.Context) func(*record) {
		skipped := skippedPlugins{}
		decision, err := panel.Decide(ctx, uses, question, skipped.add)
		return func(r *record) {
			k.reporter.warnOfSkipped(r, skipped, "whether the attempt ends")
			if err != nil {
				k.postpone(r, a, err)
				return
			}
			r.questions.decision, r.questions.lacking = r.questions.decisionThatCounts(decision, skipped), skipped.faulty() || r.questions.outdated
			r.questions.outdated = false
			if r.questions.lacking {
				r.schedule.retryNotAfter(k.now().Add(askAgainAfter))
			}
			r.schedule.lookAtAll()
		}
	}
}

// PoliciesChanged makes every attempt be decided again: the answer of a completion policy is kept until something changes, and
// now the policies have. It may be called at any time.
func (c *Controller) PoliciesChanged() {
	for _, key := range c.queue.records.keys() {
		if !c.queue.records.lowPriority(key) { // low priority means that it was not read yet, or has ended
			c.queue.enqueue(key, policiesChanged{})
		}
	}
}
