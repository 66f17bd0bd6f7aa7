package answers

import (
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// maxRetryAfter is in seconds.
const maxRetryAfter = 3600

// CheckMayCreate returns the answer to a question with its reason cut, and with at most an hour until the next question.
// The error says what is wrong with the answer.
func CheckMayCreate(_ *pluginpb.MayCreateRequest, a *pluginpb.MayCreateResponse) (*pluginpb.MayCreateResponse, error) {
	if a.GetRetryAfterSeconds() < 0 {
		return nil, fmt.Errorf("retry_after_seconds is negative: %d", a.GetRetryAfterSeconds())
	}
	a = proto.CloneOf(a)
	a.Reason, a.RetryAfterSeconds = completion.Cut(a.Reason, maxMessage), min(a.RetryAfterSeconds, maxRetryAfter)
	return a, nil
}
