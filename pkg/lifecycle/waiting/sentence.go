package waiting

import (
	"fmt"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// Sentence reports the fact to users: it is the message of the condition Waiting, and of the event. Equal facts have the same
// sentence.
func (f Fact) Sentence() string {
	switch {
	case f.Told != "":
		return f.Told
	case f.Action != "":
		return withWords(f.Action.doing(f), f.Words)
	}
	switch f.Reason {
	case reason.PodTerminating:
		return fmt.Sprintf("Pod %s has been terminating since %s, and its grace period is over: %s%s",
			f.Pod, stamp(f.Since), f.Termination.why(f.Node), others("; the same applies to %s more", f.More))
	case reason.ConfigMapTerminating:
		return fmt.Sprintf("ConfigMap %s has been terminating since %s, and none of its Pods is: it has a finalizer, or the garbage collector does not run",
			f.Object, stamp(f.Since))
	case reason.TooManyTasks:
		return fmt.Sprintf("spec.taskRoles has %d Tasks in total, and the status has room for %d; no Task is added until taskNumber is lowered",
			f.Wanted, f.Most)
	case reason.StartBlocked:
		return f.Order.whyBlocked(f.Role)
	case reason.StartsLater:
		return fmt.Sprintf("role %s has no Pods yet: it starts after %s", f.Role, f.Order.awaited())
	}
	if f.Pod == "" {
		return f.Words
	}
	cause := Cause{Reason: f.Reason, Container: f.Container, Left: f.Left, Since: f.Since}
	about := withWords(fmt.Sprintf("Task %s (Pod %s%s)%s: %s",
		Task{f.Role, f.Index}, f.Pod, onNode(f.Node), others(" and %s more", f.More), cause.what()), f.Words)
	if f.HalfGang == "" {
		return about
	}
	return fmt.Sprintf("%s. The other Tasks of the gang keep their nodes meanwhile; to end the attempt instead, set for role %s "+
		"task.startDeadline.unscheduledSec, {code: -130, maxRetryCount: 0} first in task.retryPolicy.budgets, and minFailedTaskCount",
		strings.TrimRight(about, "."), f.HalfGang)
}

// doing says what the controller does; empty for a question, which plugins have words for.
func (a Action) doing(f Fact) string {
	switch a {
	case CreateConfigMap:
		return "creating ConfigMap " + f.Object
	case DeleteConfigMap:
		return "deleting ConfigMap " + f.Object
	case ReadConfigMap:
		return "reading " + f.Object
	case CreatePod:
		return "creating Pod " + f.Pod
	case DeletePod:
		return "deleting Pod " + f.Pod
	case ReadPod:
		return "reading " + f.Pod
	case KeepService:
		return "creating Service " + f.Object
	case DeleteService:
		return "deleting Service " + f.Object
	case KeepSecret:
		return "creating Secret " + f.Object
	case DeleteSecret:
		return "deleting Secret " + f.Object
	case DeleteFramework:
		return "deleting the Framework"
	}
	return ""
}

// why says what may keep a Pod from going, and what would end that.
func (t Termination) why(node string) string {
	finalizer := "it has a finalizer"
	if t.Finalizers != "" {
		finalizer += ", " + t.Finalizers
	}
	switch {
	case t.Held:
		return "it no longer runs anything, but " + finalizer
	case node == "":
		return finalizer
	case t.Limited:
		return fmt.Sprintf("node %s does not confirm, or %s", node, finalizer)
	}
	return fmt.Sprintf("node %s does not confirm (podGracefulDeletionTimeoutSec would end that), or %s", node, finalizer)
}

// Pending says what keeps a Pod on that node from running. The cause is nil if none is known, and the node empty if it has none.
func Pending(c *Cause, node string) string {
	if c == nil {
		return "not all of its containers have started" + onNode(node)
	}
	return withWords(c.what()+onNode(node), c.Words)
}

// what says what is the matter with a Pod that does not get going.
func (c Cause) what() string {
	switch c.Reason {
	case reason.ImageNotPulled:
		return fmt.Sprintf("the image of container %s is not pulled", c.Container)
	case reason.ContainerNotStarted:
		return fmt.Sprintf("container %s does not start", c.Container)
	case reason.ContainerCrashing:
		return fmt.Sprintf("container %s ends again and again", c.Container)
	case reason.ContainersLeft:
		return fmt.Sprintf("container %s has ended, but %s is still running and keeps the Pod running", c.Container, c.Left)
	case reason.SchedulingGated:
		return "its scheduling gates hold it back"
	case reason.PodNotScheduled:
		return fmt.Sprintf("no scheduler has looked at it since %s", stamp(c.Since))
	case reason.PodNotStarted:
		return fmt.Sprintf("no container has started since %s; its image, volumes or network take long, see the Pod's events", stamp(c.Since))
	}
	return "no node was found"
}

// whyBlocked says why a role never starts, and what would change that.
func (o Order) whyBlocked(role string) string {
	if o.Circle != nil {
		return circle(o.Circle)
	}
	why := "its Tasks start again after each success, as their maxRetryCount is -2; change that, or take it out of startAfter"
	if o.Failed {
		why = "a Task of that role has failed for good; raise its maxRetryCount for the next attempt, lower its taskNumber, or take it out of startAfter"
	}
	return fmt.Sprintf("role %s has no Pods: it starts after role %s has succeeded, and %s", role, o.After, why)
}

func circle(roles []string) string {
	var links []string
	for i, name := range roles {
		links = append(links, fmt.Sprintf("%s after %s", name, roles[(i+1)%len(roles)]))
	}
	const most = 10
	if len(links) > most {
		links = append(links[:most], "and so on")
	}
	return fmt.Sprintf("roles start after each other in a circle, so none of them ever starts: %s; take one of these out of taskRoles[].startAfter", strings.Join(links, ", "))
}

// awaited names the roles that keep another one.
func (o Order) awaited() string {
	var what []string
	for _, a := range o.Awaited {
		if a.Succeeded {
			what = append(what, fmt.Sprintf("role %s has succeeded", a.Role))
		} else {
			what = append(what, fmt.Sprintf("role %s, which has none yet either", a.Role))
		}
	}
	return strings.Join(what, ", and ")
}

// withWords appends words of others to what is said of them.
func withWords(what, words string) string {
	if what == "" || words == "" {
		return what + words
	}
	return what + ": " + words
}

// others says that there are more Tasks than one; empty if there are none.
func others(format string, more int) string {
	if more == 0 {
		return ""
	}
	if n := roughly(more); n < more || n > 10 {
		return fmt.Sprintf(format, fmt.Sprintf("over %d", n-1))
	}
	return fmt.Sprintf(format, fmt.Sprint(more))
}

func onNode(name string) string {
	if name == "" {
		return ""
	}
	return " on node " + name
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
