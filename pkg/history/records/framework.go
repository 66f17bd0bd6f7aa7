package records

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// StateDeleted is the state of a Framework after its object is gone.
const StateDeleted = "Deleted"

// Steps of a Framework's record within an attempt; the revision grows with them, and with the generation of the spec.
const (
	begun = iota
	attemptEnded
	completed
	deleted
	steps
)

// generations is the number of generations that a revision can distinguish. No spec changes as often.
const generations = 1 << 24

// Framework returns the records of the Framework as it is stored: its object, and itself.
func Framework(of Subject, s *lifecycle.State) []*pluginpb.Record {
	status := s.Framework()
	step := begun
	switch status.State {
	case v1.AttemptCompleted:
		step = attemptEnded
	case v1.Completed:
		step = completed
	}
	return framework(of, status, string(status.State), step)
}

// Deleted returns the records of a Framework after its object is gone, from its last stored state.
func Deleted(of Subject, s *lifecycle.State) []*pluginpb.Record {
	return framework(of, s.Framework(), StateDeleted, deleted)
}

func framework(of Subject, status *v1.FrameworkStatus, state string, step int) (out []*pluginpb.Record) {
	id := status.AttemptStatus.ID
	r := &pluginpb.FrameworkRecord{
		Revision: (int64(id)*steps+int64(step))*generations + min(of.Meta.Generation, generations-1),
		Created:  timestamp(of.Meta.CreationTimestamp.Time), Completed: moment(status.CompletionTime),
		State: state, TemplateDigest: templateDigest(of.Spec), Generation: of.Meta.Generation,
		Retries: status.RetryPolicyStatus.TotalRetriedCount, AccountableRetries: status.RetryPolicyStatus.AccountableRetriedCount,
	}
	if scheduling := of.Spec.Scheduling; scheduling != nil {
		r.Queue = text(scheduling.Queue)
	}
	if how := status.AttemptStatus.CompletionStatus; how != nil {
		r.Completion = outcome(&how.CompletionStatus)
	}
	for i := range of.Spec.TaskRoles {
		r.Tasks += of.Spec.TaskRoles[i].TaskNumber
	}
	found, _ := links.Of(of.Meta) // explain gives the reasons for the others
	for _, l := range found {
		r.Links = append(r.Links, &pluginpb.Link{Name: l.Name, Url: l.URL})
	}
	at := status.TransitionTime.Time
	if c := of.content(); c != nil {
		r.ObjectDigest = c.Digest
		out = append(out, of.object(id, at, c))
	}
	about := of.framework(id)
	about.Labels = map[string]string{}
	for key, value := range maps.All(of.Meta.Labels) {
		about.Labels[podverdict.Text(key)] = podverdict.Text(value)
	}
	return append(out, &pluginpb.Record{
		Key: of.key("attempt", number(id), "framework", number(int64(step)), number(of.Meta.Generation)), Framework: about, ResourceVersion: of.version(), Time: timestamp(at),
		Content: &pluginpb.Record_FrameworkRecord{FrameworkRecord: r},
	})
}

// templateDigest is equal for equal templates of Pods, in the order of the roles.
func templateDigest(spec *v1.FrameworkSpec) string {
	sum := sha256.New()
	for i := range spec.TaskRoles {
		sum.Write(spec.TaskRoles[i].Task.Pod)
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}
