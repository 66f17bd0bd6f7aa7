package pluginhost

import (
	"context"
	"errors"
	"time"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/answers"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Source identifies the plugin that answered.
type Source struct {
	// Name in the configuration.
	Plugin string
	// Version that the process reports; may be empty.
	Version string
}

// Verdicts are the answers of a plugin about some Pods. A Pod that is in neither map got no opinion.
type Verdicts struct {
	// By UID; valid, with a code or a refusal.
	Given map[string]*pluginpb.Verdict
	// By UID: why there is no usable opinion. A fault of one Pod does not affect the others.
	Faults map[string]*Fault
}

// Classify asks a FailureClassifier about Pods. Concurrent questions share a call. It returns an error, a *Fault or
// the error of ctx, only if every Pod has a fault; Verdicts then has the faults, too. The caller must not change the Pods
// afterwards.
func (h *Host) Classify(ctx context.Context, name string, pods []*pluginpb.FailedPod) (Verdicts, Source, error) {
	s, c, err := h.find(name, plugin.KindFailureClassifier)
	if err != nil {
		return allFaults(pods, err), Source{}, err
	}
	pods = distinct(pods)
	var ask []*pluginpb.FailedPod
	large := Verdicts{Faults: map[string]*Fault{}}
	for _, p := range pods {
		if size := proto.Size(p) + 16; size > plugin.MaxMessage {
			large.Faults[p.GetUid()] = c.tooLarge(size)
		} else {
			ask = append(ask, p)
		}
	}
	var verdicts Verdicts
	var source Source
	if len(ask) > 0 {
		verdicts, source = s.batch.ask(ctx, ask).result(ask, s.overdueFault("did not answer before the caller gave up"))
	} else {
		verdicts = Verdicts{Given: map[string]*pluginpb.Verdict{}, Faults: map[string]*Fault{}}
	}
	for uid, f := range large.Faults {
		verdicts.Faults[uid] = f
	}
	if len(pods) == 0 || len(verdicts.Faults) < len(pods) {
		return verdicts, source, nil
	}
	if ctx.Err() != nil {
		return verdicts, source, ctx.Err()
	}
	return verdicts, source, verdicts.Faults[pods[0].GetUid()]
}

func distinct(pods []*pluginpb.FailedPod) []*pluginpb.FailedPod {
	seen := make(map[string]bool, len(pods))
	var out []*pluginpb.FailedPod
	for _, p := range pods {
		if !seen[p.GetUid()] {
			seen[p.GetUid()] = true
			out = append(out, p)
		}
	}
	return out
}

func allFaults(pods []*pluginpb.FailedPod, f *Fault) Verdicts {
	v := Verdicts{Given: map[string]*pluginpb.Verdict{}, Faults: map[string]*Fault{}}
	for _, p := range pods {
		v.Faults[p.GetUid()] = f
	}
	return v
}

// checkedVerdicts returns the usable part of an answer. The fault concerns the answer as a whole; nil without one.
func (c Config) checkedVerdicts(pods []*pluginpb.FailedPod, answer *pluginpb.ClassifyResponse) (Verdicts, *Fault) {
	usable, wrong, err := answers.CheckVerdicts(pods, answer)
	v := Verdicts{Given: usable, Faults: map[string]*Fault{}}
	for uid, problem := range wrong {
		v.Faults[uid] = c.fault(Invalid, "%v", problem)
		v.Faults[uid].VerdictProblem = faultText(problem.Cause.Error())
	}
	if err != nil {
		return v, c.fault(Invalid, "%v", err)
	}
	return v, nil
}

// Decide asks a CompletionPolicy. The answer is valid, and nil if the plugin abstains; a refusal is an answer, too. The
// error is a *Fault, or ctx's.
func (h *Host) Decide(ctx context.Context, name string, q *pluginpb.DecideRequest) (*pluginpb.DecideResponse, Source, error) {
	return ask(ctx, h, name, plugin.KindCompletionPolicy, call[*pluginpb.DecideRequest, *pluginpb.DecideResponse]{
		method: "Decide", question: q, owner: ownerOf(q.GetFramework()), check: answers.CheckDecision,
		do: func(ctx context.Context, v *permit) (*pluginpb.DecideResponse, error) {
			return pluginpb.NewCompletionPolicyClient(v.child.conn).Decide(ctx, q)
		},
	})
}

// Hint asks SchedulerHints. The answer is valid, and nil if the plugin has no opinion. The error is a *Fault, or ctx's.
func (h *Host) Hint(ctx context.Context, name string, q *pluginpb.HintRequest) (*pluginpb.HintResponse, Source, error) {
	return ask(ctx, h, name, plugin.KindSchedulerHints, call[*pluginpb.HintRequest, *pluginpb.HintResponse]{
		method: "Hint", question: q, owner: ownerOf(q.GetFramework()), check: answers.CheckHints,
		do: func(ctx context.Context, v *permit) (*pluginpb.HintResponse, error) {
			return pluginpb.NewSchedulerHintsClient(v.child.conn).Hint(ctx, q)
		},
	})
}

// MayCreate asks SchedulerHints whether Pods may be created. The answer is valid and never nil without an error, which
// is a *Fault, or ctx's.
func (h *Host) MayCreate(ctx context.Context, name string, q *pluginpb.MayCreateRequest) (*pluginpb.MayCreateResponse, Source, error) {
	return ask(ctx, h, name, plugin.KindSchedulerHints, call[*pluginpb.MayCreateRequest, *pluginpb.MayCreateResponse]{
		method: "MayCreate", question: q, owner: ownerOf(q.GetFramework()), check: answers.CheckMayCreate,
		do: func(ctx context.Context, v *permit) (*pluginpb.MayCreateResponse, error) {
			return pluginpb.NewSchedulerHintsClient(v.child.conn).MayCreate(ctx, q)
		},
	})
}

// find returns the plugin with that name, if it is of the kind.
func (h *Host) find(name string, kind plugin.Kind) (*slot, Config, *Fault) {
	s := h.slot(name)
	if s == nil || s.kind != kind {
		return nil, Config{}, Config{Name: name}.fault(NotConfigured, "is not configured as a %s", kind)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s, s.serving.config, nil
}

// call is a question that is sent in a call of its own.
type call[Q, A proto.Message] struct {
	method   string
	question Q
	owner    owner
	do       func(context.Context, *permit) (A, error)
	// Returns the answer in a usable form, or its mistake.
	check func(Q, A) (A, error)
}

func ask[Q, A proto.Message](ctx context.Context, h *Host, name string, kind plugin.Kind, c call[Q, A]) (A, Source, error) {
	var none A
	s, config, fault := h.find(name, kind)
	if fault != nil {
		return none, Source{}, fault
	}
	if size := proto.Size(c.question); size > plugin.MaxMessage {
		return none, Source{}, config.tooLarge(size)
	}
	var q retries
	trial := false
	for {
		v, fault := s.acquireFor(ctx, c.owner, trial, q.suspicions)
		if fault != nil {
			return none, Source{}, preferred(ctx, fault)
		}
		q.begin(v.child)
		answer, fault, again := tryOnce(ctx, s, v, c, &q)
		if fault == nil {
			return answer, Source{v.config.Name, v.child.version}, nil
		}
		if !again {
			return none, Source{}, preferred(ctx, fault)
		}
		trial = mayHaveEnded(v.child, fault)
	}
}

// preferred returns the error of ctx if the caller has given up, and otherwise the fault.
func preferred(ctx context.Context, f *Fault) error {
	if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ctx.Err()
	}
	return f
}

// over reports whether the context has ended, or is about to: the plugin's side may notice its deadline first.
func over(ctx context.Context) bool {
	deadline, limited := ctx.Deadline()
	return ctx.Err() != nil || limited && !time.Now().Before(deadline)
}

// tryOnce asks once, and reports whether to ask again after a fault.
func tryOnce[Q, A proto.Message](ctx context.Context, s *slot, v *permit, c call[Q, A], q *retries) (answer A, fault *Fault, again bool) {
	var none A
	within, cancel := context.WithTimeout(ctx, v.config.timeout())
	defer cancel()
	began := time.Now()
	answer, err := c.do(within, v)
	if err != nil && over(ctx) {
		// The caller's limit, not the plugin's, which had less time than promised.
		s.release(v, nil, abandoned)
		return none, s.overdueFault("had too little time left to answer"), false
	}
	if err != nil {
		fault = v.child.callFault(v.config, string(s.kind), err)
	} else if answer, err = c.check(c.question, answer); err != nil {
		fault = v.config.fault(Invalid, "invalid answer: %v", err)
	}
	s.host.onCall(Call{Plugin: s.name, Kind: s.kind, Method: c.method, Duration: time.Since(began), Questions: 1, Fault: fault})
	if fault == nil {
		s.release(v, nil, answered)
		return answer, nil, false
	}
	s.countCrash(v, fault)
	q.suspect(v, fault)
	if v.isInnocent(fault) {
		q.reset()
		again = true
	} else {
		again = q.again(s, v.child, fault)
	}
	s.release(v, fault, outcomeOf(again))
	return none, fault, again
}

// classify makes one call about several Pods. The fault concerns the call, if no Pod has an outcome; counted may also be the fault of a
// single verdict.
func (s *slot) classify(v *permit, pods []*pluginpb.FailedPod) (verdicts Verdicts, fault, counted *Fault) {
	if pods = v.child.judgeable(pods); len(pods) == 0 {
		return Verdicts{}, nil, nil
	}
	ctx, cancel := context.WithTimeout(s.ctx, v.config.timeout())
	defer cancel()
	began := time.Now()
	answer, err := pluginpb.NewFailureClassifierClient(v.child.conn).Classify(ctx, &pluginpb.ClassifyRequest{Pods: pods})
	took := time.Since(began)
	s.batch.observe(len(pods), took, v.config.timeout())
	if err != nil {
		fault = v.child.callFault(v.config, string(s.kind), err)
		counted = fault
	} else {
		verdicts, counted = v.config.checkedVerdicts(pods, answer)
	}
	s.host.onCall(Call{Plugin: s.name, Kind: s.kind, Method: "Classify", Duration: took, Questions: len(pods), Fault: counted})
	if counted != nil && len(verdicts.Given) > 0 {
		// One wrong verdict must not cost the plugin's other verdicts.
		s.note(counted)
		counted = nil
	}
	return verdicts, fault, counted
}

// note records a fault that does not count against the plugin.
func (s *slot) note(f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.recordLocked(f)
	s.updateLocked()
}

// tooLarge is the fault of a question that is too large to be asked. The plugin is not to blame.
func (c Config) tooLarge(size int) *Fault {
	return c.fault(TooLarge, "was not asked: the question has %d bytes, but at most %d are allowed", size, plugin.MaxMessage)
}
