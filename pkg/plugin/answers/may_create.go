package answers

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxRetryAfter is in seconds.
const maxRetryAfter = 3600

// CheckMayCreate returns the answer to a question with its reason cut, and with at most an hour until the next
// question. The error describes the mistake in the answer.
func CheckMayCreate(q *pluginpb.MayCreateRequest, a *pluginpb.MayCreateResponse) (*pluginpb.MayCreateResponse, error) {
	switch {
	case a.GetRetryAfterSeconds() < 0:
		return nil, fmt.Errorf("retry_after_seconds is negative: %d", a.GetRetryAfterSeconds())
	case a.GetYes() && a.GetEvict() != nil:
		return nil, errors.New("it says yes, but also evicts the attempt")
	case a.GetEvict().GetGraceSeconds() < 0:
		return nil, fmt.Errorf("evict.grace_seconds is negative: %d", a.GetEvict().GetGraceSeconds())
	case !a.GetYes() && len(a.GetPatches()) > 0:
		return nil, errors.New("it has patches, but does not say yes")
	}
	if err := checkPatches(q.GetRoles(), a.GetPatches()); err != nil {
		return nil, err
	}
	if err := checkStored(&pluginpb.MayCreateResponse{Patches: a.GetPatches()}); err != nil {
		return nil, err
	}
	a = proto.CloneOf(a)
	a.Reason, a.RetryAfterSeconds = completion.Cut(a.Reason, maxMessage), min(a.RetryAfterSeconds, maxRetryAfter)
	if a.Evict != nil {
		a.Evict.Reason = completion.Cut(a.Evict.Reason, maxMessage)
	}
	return a, nil
}
