package lifecycletest

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/avoid"
)

// blames notes that a classifier is asked about a Pod, and reports whether that is new.
func (q *questions) blames(a lifecycle.ClassifyPod) bool {
	if q.failures[a.Task] == a.UID {
		return false
	}
	if q.failures == nil {
		q.failures = map[lifecycle.TaskRef]types.UID{}
	}
	q.failures[a.Task] = a.UID
	return true
}

// blame: "blame a-0 9 [factor=2] [avoid=Require/3600 bad GPU]": a classifier's answer to a question about a failed Pod, its memory,
// and its node.
func (s *Story) blame(args []string, _ string) error {
	if len(args) < 2 {
		return fmt.Errorf("blame wants a Pod and a code")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	code, err := parseInt32(args[1])
	if err != nil {
		return err
	}
	q := &s.controller.questions
	uid, asked := q.failures[n.ref]
	if !asked {
		return nil
	}
	v := &lifecycle.Verdict{PodUID: uid, Status: v1.CompletionStatus{
		Code: code, Phrase: "Judged", Type: v1.CompletionType{Name: v1.CompletionFailed, Attributes: []v1.CompletionTypeAttribute{}},
		Source: &v1.CompletionSource{Plugin: "classifier"},
	}}
	args = args[2:]
	if len(args) > 0 && strings.HasPrefix(args[0], "factor=") {
		if _, err := fmt.Sscanf(args[0], "factor=%g", &v.MemoryFactor); err != nil {
			return err
		}
		args = args[1:]
	}
	if v.AvoidNode, err = parseAvoidNode(args); err != nil {
		return err
	}
	if q.verdicts == nil {
		q.verdicts = map[lifecycle.TaskRef]*lifecycle.Verdict{}
	}
	q.verdicts[n.ref] = v
	delete(q.failures, n.ref)
	s.controller.lookAt(n)
	return nil
}

// parseAvoidNode reads "avoid=Require/3600 bad GPU", or nothing.
func parseAvoidNode(args []string) (*avoid.Advice, error) {
	if len(args) == 0 {
		return nil, nil
	}
	mode, seconds, _ := strings.Cut(strings.TrimPrefix(args[0], "avoid="), "/")
	n, err := parseInt32(seconds)
	return &avoid.Advice{Mode: v1.AvoidMode(mode), Seconds: n, Reason: strings.Join(args[1:], " ")}, err
}
