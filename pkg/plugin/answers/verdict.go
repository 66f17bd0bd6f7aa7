package answers

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CheckVerdicts returns, by UID, the usable verdicts on the Pods that were asked about, and what is wrong with others.
// A Pod in neither got no opinion. The error is the first thing that is wrong with the answer, possibly with a verdict
// on a Pod that was not asked about; nil if nothing is.
func CheckVerdicts(asked []*pluginpb.FailedPod, a *pluginpb.ClassifyResponse) (usable map[string]*pluginpb.Verdict, wrong map[string]error, first error) {
	usable, wrong = map[string]*pluginpb.Verdict{}, map[string]error{}
	uids := make(map[string]bool, len(asked))
	for _, p := range asked {
		uids[p.GetUid()] = true
	}
	seen := map[string]bool{}
	for _, verdict := range a.GetVerdicts() {
		uid := verdict.GetUid()
		checked, err := CheckVerdict(verdict)
		switch {
		case !uids[uid]:
			err = errors.New("it is about a Pod that was not asked about")
		case seen[uid]:
			err = errors.New("there is more than one for the Pod")
		}
		seen[uid] = true
		switch {
		case err != nil:
			err = fmt.Errorf("invalid verdict on the Pod with UID %q: %w", completion.Cut(uid, 100), err)
			if first == nil {
				first = err
			}
			if uids[uid] {
				wrong[uid] = err
				delete(usable, uid)
			}
		case checked != nil:
			usable[uid] = checked
		}
	}
	return usable, wrong, first
}

// CheckVerdict returns a verdict with its texts cut; nil for no opinion. The error says what is wrong with the verdict,
// apart from which Pod it is about. A refusal stands alone: of such a verdict nothing else is read, or returned.
func CheckVerdict(v *pluginpb.Verdict) (*pluginpb.Verdict, error) {
	if v.GetRefusal() != "" {
		return &pluginpb.Verdict{Uid: v.GetUid(), Refusal: completion.Cut(v.GetRefusal(), maxMessage)}, nil
	}
	if v.GetCode() == 0 {
		return nil, nil
	}
	if err := checkCode(v.GetCode(), v.GetPhrase(), v.GetType()); err != nil {
		return nil, err
	}
	v = proto.CloneOf(v)
	v.Diagnostics, v.Rule = completion.Cut(v.Diagnostics, maxMessage), completion.Cut(v.Rule, maxRule)
	return v, nil
}
