package answers

import (
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// CheckDecision returns the answer to a question with its texts cut; nil if the plugin abstains. The error describes
// the mistake in the answer. If an answer has a refusal, all its other fields are ignored.
func CheckDecision(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) (*pluginpb.DecideResponse, error) {
	if a.GetRefusal() != "" {
		return &pluginpb.DecideResponse{Refusal: completion.Cut(a.GetRefusal(), maxMessage)}, nil
	}
	if a.GetDecision() == pluginpb.DecideResponse_ABSTAIN {
		return nil, nil
	}
	if _, known := pluginpb.DecideResponse_Decision_name[int32(a.GetDecision())]; !known {
		return nil, fmt.Errorf("there is no decision %d", a.GetDecision())
	}
	if a.GetDigest() != q.GetDigest() || a.GetAttemptId() != q.GetFramework().GetAttemptId() {
		return nil, fmt.Errorf("it is about digest %q of attempt %d, and not %q of attempt %d",
			completion.Cut(a.GetDigest(), 100), a.GetAttemptId(), q.GetDigest(), q.GetFramework().GetAttemptId())
	}
	if err := checkTrigger(q, a); err != nil {
		return nil, err
	}
	if err := checkFailure(a); err != nil {
		return nil, err
	}
	a = proto.CloneOf(a)
	a.Message, a.Rule = completion.Cut(a.Message, maxMessage), completion.Cut(a.Rule, maxRule)
	return a, nil
}

func checkTrigger(q *pluginpb.DecideRequest, a *pluginpb.DecideResponse) error {
	if a.GetTrigger() == nil {
		return nil
	}
	role, index := a.GetTrigger().GetTaskRole(), a.GetTrigger().GetTaskIndex()
	i := slices.IndexFunc(q.GetRoles(), func(r *pluginpb.RoleProgress) bool { return r.GetName() == role })
	if i < 0 {
		return fmt.Errorf("there is no role %q for the trigger", completion.Cut(role, 100))
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

// checkFailure checks code, phrase and type, which a failure without a trigger must have, and other answers must not.
func checkFailure(a *pluginpb.DecideResponse) error {
	if a.GetDecision() == pluginpb.DecideResponse_FAILED && a.GetTrigger() == nil {
		if a.GetCode() == 0 {
			return errors.New("a failure without a trigger must have a code")
		}
		return checkCode(a.GetCode(), a.GetPhrase(), a.GetType())
	}
	if a.GetCode() != 0 || a.GetPhrase() != "" || a.GetType() != nil {
		return errors.New("only a failure without a trigger may have a code, a phrase and a type")
	}
	return nil
}
