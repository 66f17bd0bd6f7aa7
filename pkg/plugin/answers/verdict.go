package answers

import (
	"errors"
	"fmt"
	"time"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// VerdictError is the mistake in the verdict on one Pod.
type VerdictError struct {
	UID   string // UID of the Pod, as in the answer
	Cause error
}

func (e *VerdictError) Error() string {
	return fmt.Sprintf("invalid verdict on the Pod with UID %q: %s", completion.Cut(e.UID, 100), e.Cause)
}

func (e *VerdictError) Unwrap() error { return e.Cause }

// CheckVerdicts returns, by UID, the usable verdicts on the Pods in question, and the mistakes in the others. A Pod in
// neither map got no opinion. first is the first mistake in the answer, which may be a verdict on a Pod that was not in
// question; nil if there is none.
func CheckVerdicts(asked []*pluginpb.FailedPod, a *pluginpb.ClassifyResponse) (usable map[string]*pluginpb.Verdict, wrong map[string]*VerdictError, first error) {
	usable, wrong = map[string]*pluginpb.Verdict{}, map[string]*VerdictError{}
	uids, pending := make(map[string]bool, len(asked)), map[string]bool{}
	for _, p := range asked {
		uids[p.GetUid()] = true
		pending[p.GetUid()] = p.GetPending() != nil
	}
	seen := map[string]bool{}
	for _, verdict := range a.GetVerdicts() {
		uid := verdict.GetUid()
		check := CheckVerdict
		if pending[uid] {
			check = CheckPendingVerdict
		}
		checked, err := check(verdict)
		switch {
		case !uids[uid]:
			err = errors.New("it is about a Pod that was not asked about")
		case seen[uid]:
			err = errors.New("there is more than one for the Pod")
		}
		seen[uid] = true
		switch {
		case err != nil:
			invalid := &VerdictError{uid, err}
			if first == nil {
				first = invalid
			}
			if uids[uid] {
				wrong[uid] = invalid
				delete(usable, uid)
			}
		case checked != nil:
			usable[uid] = checked
		}
	}
	return usable, wrong, first
}

// CheckVerdict returns a verdict on a failed Pod with its texts cut; nil for no opinion. The error describes the
// mistake in the verdict, other than in its UID. If a verdict has a refusal, all its other fields are ignored.
func CheckVerdict(v *pluginpb.Verdict) (*pluginpb.Verdict, error) {
	if v.GetRefusal() == "" && v.GetWaitSeconds() != 0 {
		return nil, fmt.Errorf("wait_seconds is %d, but the Pod has failed: only a Pod that has not started to run may take longer", v.GetWaitSeconds())
	}
	return checkVerdict(v, usable)
}

// CheckPendingVerdict is CheckVerdict for a Pod that has not started to run.
func CheckPendingVerdict(v *pluginpb.Verdict) (*pluginpb.Verdict, error) {
	const most = int32(plugin.MaxWait / time.Second)
	switch wait := v.GetWaitSeconds(); {
	case v.GetRefusal() != "" || wait == 0:
		return checkVerdict(v, usableOfPending)
	case wait < 0 || wait > most:
		return nil, fmt.Errorf("wait_seconds is %d, and must be from 1 to %d", wait, most)
	case v.GetCode() != 0:
		return nil, fmt.Errorf("it has code %d and wait_seconds %d: a Pod either fails or may take longer", v.GetCode(), wait)
	}
	return &pluginpb.Verdict{Uid: v.GetUid(), WaitSeconds: v.GetWaitSeconds(), Rule: completion.Cut(v.GetRule(), maxRule)}, nil
}

func checkVerdict(v *pluginpb.Verdict, predefined []completion.Code) (*pluginpb.Verdict, error) {
	if v.GetRefusal() != "" {
		return &pluginpb.Verdict{Uid: v.GetUid(), Refusal: completion.Cut(v.GetRefusal(), maxMessage)}, nil
	}
	if v.GetCode() == 0 {
		return nil, nil
	}
	if err := checkCodeOf(v.GetCode(), v.GetPhrase(), v.GetType(), predefined); err != nil {
		return nil, err
	}
	if err := checkAdvice(v); err != nil {
		return nil, err
	}
	if err := checkAvoidNode(v.GetAvoidNode()); err != nil {
		return nil, err
	}
	if f := v.GetResourceFactor(); f != 0 && !(f > 1 && f <= v1.MaxAdvisedMemoryFactor) {
		return nil, fmt.Errorf("resource_factor is %g, and must be above 1 and at most %d", f, v1.MaxAdvisedMemoryFactor)
	}
	v = proto.CloneOf(v)
	cutAvoidNode(v.AvoidNode)
	v.Diagnostics, v.Rule = completion.Cut(v.Diagnostics, maxMessage), completion.Cut(v.Rule, maxRule)
	v.Remedy = completion.Cut(v.Remedy, completion.MaxRemedy)
	return v, nil
}
