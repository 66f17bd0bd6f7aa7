package pluginhost

import (
	"errors"
	"fmt"
	"slices"
	"unicode"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// What plugin.proto says about the lengths of texts, in bytes.
const (
	maxPhrase  = 256
	maxRule    = 256
	maxMessage = 4 << 10
)

// verdicts keeps the verdicts on these Pods that are valid. The fault is that of the answer as a whole, for the first
// thing that is wrong with it; nil if nothing is.
func (c Config) verdicts(pods []*pluginpb.FailedPod, answer *pluginpb.ClassifyResponse) (Verdicts, *Fault) {
	v := Verdicts{Given: map[string]*pluginpb.Verdict{}, Faults: map[string]*Fault{}}
	asked := make(map[string]bool, len(pods))
	for _, p := range pods {
		asked[p.GetUid()] = true
	}
	var first *Fault
	seen := map[string]bool{}
	for _, verdict := range answer.GetVerdicts() {
		uid := verdict.GetUid()
		checked, err := checkedVerdict(verdict)
		switch {
		case !asked[uid]:
			err = errors.New("it is about a Pod that was not asked about")
		case seen[uid]:
			err = errors.New("there is more than one for the Pod")
		}
		seen[uid] = true
		switch {
		case err != nil:
			f := c.fault(Invalid, "invalid verdict on the Pod with UID %q: %v", cut(uid, 100), err)
			if first == nil {
				first = f
			}
			if asked[uid] {
				v.Faults[uid] = f
				delete(v.Given, uid)
			}
		case checked != nil:
			v.Given[uid] = checked
		}
	}
	return v, first
}

// CheckVerdict returns what is wrong with a verdict, apart from which Pod it is about; nil if nothing is.
func CheckVerdict(v *pluginpb.Verdict) error {
	_, err := checkedVerdict(v)
	return err
}

// checkedVerdict returns nil for no opinion. A refusal stands alone.
func checkedVerdict(v *pluginpb.Verdict) (*pluginpb.Verdict, error) {
	if v.GetRefusal() != "" {
		return &pluginpb.Verdict{Uid: v.GetUid(), Refusal: cut(v.GetRefusal(), maxMessage)}, nil
	}
	if v.GetCode() == 0 {
		return nil, nil
	}
	if err := checkCode(v.GetCode(), v.GetPhrase(), v.GetType()); err != nil {
		return nil, err
	}
	v = proto.CloneOf(v)
	v.Diagnostics, v.Rule = cut(v.Diagnostics, maxMessage), cut(v.Rule, maxRule)
	return v, nil
}

// usable are the predefined codes that a plugin may give.
var usable = []completion.Code{
	completion.CodeContainerTransientFailed, completion.CodeContainerTransientConflictFailed,
	completion.CodeContainerPermanentFailed, completion.CodePodFailedWithoutFailedContainer,
}

// checkCode returns what is wrong with the code of a failure.
func checkCode(code int32, phrase string, kind *pluginpb.CompletionType) error {
	if err := checkPhrase(phrase); err != nil {
		return err
	}
	if kind.GetName() != string(v1.CompletionFailed) {
		return fmt.Errorf("the name of the type has to be %s, but is %q", v1.CompletionFailed, cut(kind.GetName(), 40))
	}
	if err := checkAttributes(kind.GetAttributes()); err != nil {
		return err
	}
	if !completion.IsReserved(code) {
		return nil
	}
	if !slices.Contains(usable, code) {
		return fmt.Errorf("code %d is reserved: use a number from 1 to 199, from 220, or up to -1000", code)
	}
	own := completion.Predefined(code, "")
	if phrase != own.Phrase || !sameAttributes(kind.GetAttributes(), own.Type.Attributes) {
		return fmt.Errorf("code %d has to have the phrase %s and the attributes %v, but has %q and %v",
			code, own.Phrase, own.Type.Attributes, phrase, kind.GetAttributes())
	}
	return nil
}

func checkPhrase(phrase string) error {
	switch {
	case phrase == "":
		return errors.New("a code has to have a phrase")
	case len(phrase) > maxPhrase:
		return fmt.Errorf("the phrase has %d bytes, more than %d", len(phrase), maxPhrase)
	}
	for _, r := range phrase {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the phrase %q has characters that cannot be printed", phrase)
		}
	}
	return nil
}

var attributes = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributePermanent, v1.AttributeConflict}

func checkAttributes(given []string) error {
	for i, a := range given {
		if !slices.Contains(attributes, v1.CompletionTypeAttribute(a)) {
			return fmt.Errorf("the type has the attribute %q, but there are only %v", cut(a, 40), attributes)
		}
		if slices.Contains(given[:i], a) {
			return fmt.Errorf("the type has the attribute %s twice", a)
		}
	}
	if slices.Contains(given, string(v1.AttributeTransient)) && slices.Contains(given, string(v1.AttributePermanent)) {
		return errors.New("the type is both Transient and Permanent")
	}
	return nil
}

func sameAttributes(given []string, own []v1.CompletionTypeAttribute) bool {
	if len(given) != len(own) {
		return false
	}
	for _, a := range own {
		if !slices.Contains(given, string(a)) {
			return false
		}
	}
	return true
}

// CheckDecision returns what is wrong with an answer to a question; nil if nothing is.
func CheckDecision(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) error {
	_, err := checkedDecision(q, a)
	return err
}

// checkedDecision returns nil if the plugin abstains. A refusal stands alone.
func checkedDecision(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) (*pluginpb.DecideResponse, error) {
	if a.GetRefusal() != "" {
		return &pluginpb.DecideResponse{Refusal: cut(a.GetRefusal(), maxMessage)}, nil
	}
	if a.GetDecision() == pluginpb.DecideResponse_ABSTAIN {
		return nil, nil
	}
	if _, known := pluginpb.DecideResponse_Decision_name[int32(a.GetDecision())]; !known {
		return nil, fmt.Errorf("there is no decision %d", a.GetDecision())
	}
	if a.GetDigest() != q.GetDigest() || a.GetAttemptId() != q.GetFramework().GetAttemptId() {
		return nil, fmt.Errorf("it is about digest %q of attempt %d, and not %q of attempt %d",
			cut(a.GetDigest(), 100), a.GetAttemptId(), q.GetDigest(), q.GetFramework().GetAttemptId())
	}
	if err := checkTrigger(q, a); err != nil {
		return nil, err
	}
	if err := checkFailure(a); err != nil {
		return nil, err
	}
	a = proto.CloneOf(a)
	a.Message, a.Rule = cut(a.Message, maxMessage), cut(a.Rule, maxRule)
	return a, nil
}

func checkTrigger(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) error {
	if a.GetTrigger() == nil {
		return nil
	}
	role, index := a.GetTrigger().GetTaskRole(), a.GetTrigger().GetTaskIndex()
	i := slices.IndexFunc(q.GetRoles(), func(r *pluginpb.RoleProgress) bool { return r.GetName() == role })
	if i < 0 {
		return fmt.Errorf("there is no role %q for the trigger", cut(role, 100))
	}
	completed := q.GetRoles()[i].GetCompleted()
	t := slices.IndexFunc(completed, func(t *pluginpb.CompletedTask) bool { return t.GetIndex() == index })
	switch {
	case t < 0:
		return fmt.Errorf("the trigger, Task %d of role %s, has not completed", index, role)
	case a.GetDecision() == pluginpb.DecideResponse_FAILED && completed[t].GetType().GetName() != string(v1.CompletionFailed):
		return fmt.Errorf("the trigger of the failure, Task %d of role %s, has not failed, so it gives no code: "+
			"leave it out and give a code", index, role)
	}
	return nil
}

// checkFailure is about code, phrase and type, which a failure without a trigger has, and nothing else.
func checkFailure(a *pluginpb.DecideResponse) error {
	if a.GetDecision() == pluginpb.DecideResponse_FAILED && a.GetTrigger() == nil {
		if a.GetCode() == 0 {
			return errors.New("a failure without a trigger has to have a code")
		}
		return checkCode(a.GetCode(), a.GetPhrase(), a.GetType())
	}
	if a.GetCode() != 0 || a.GetPhrase() != "" || a.GetType() != nil {
		return errors.New("only a failure without a trigger has a code, a phrase and a type")
	}
	return nil
}

// maxRetryAfter is how long the answer of MayCreate may be put off; longer is cut.
const maxRetryAfter = 3600

func checkedMayCreate(_ *pluginpb.MayCreateRequest, a *pluginpb.MayCreateResponse) (*pluginpb.MayCreateResponse, error) {
	if a.GetRetryAfterSeconds() < 0 {
		return nil, fmt.Errorf("retry_after_seconds is negative: %d", a.GetRetryAfterSeconds())
	}
	a = proto.CloneOf(a)
	a.Reason, a.RetryAfterSeconds = cut(a.Reason, maxMessage), min(a.RetryAfterSeconds, maxRetryAfter)
	return a, nil
}
