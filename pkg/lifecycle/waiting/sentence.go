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
	case reason.ItemsNotReady:
		return fmt.Sprintf("role %s waits for its items: %s", f.Role, f.Words)
	case reason.ItemsChanged:
		return withWords(fmt.Sprintf("role %s creates no further Pods in this attempt, because its items have changed since the attempt began; "+
			"restore them, or suspend and resume the Framework for an attempt with the new ones", f.Role), f.Words)
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
	case ReadItems:
		return "reading the items of role " + f.Role
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
	case KeepClaim:
		return "creating a PersistentVolumeClaim"
	case DeleteClaim:
		return "deleting a PersistentVolumeClaim"
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

// Pending describes what keeps a Pod on that node from running. The cause is nil if none is known, and the node empty if it has none.
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
	switch {
	case o.Frameworks:
		return circleOfFrameworks(role, o.Circle)
	case o.Circle != nil:
		return circle(o.Circle)
	case o.Framework != "":
		return fmt.Sprintf("role %s has no Pods: it starts after Framework %s, %s", role, o.Framework, o.Why.wayOut())
	}
	why := "its Tasks start again after each success, as their maxRetryCount is -2; change that, or take it out of startAfter"
	if o.Failed {
		why = "a Task of that role has failed for good; raise its maxRetryCount for the next attempt, lower its taskNumber, or take it out of startAfter"
	}
	return fmt.Sprintf("role %s has no Pods: it starts after role %s has succeeded, and %s", role, o.After, why)
}

// wayOut says what is the matter with another Framework, and what would change that.
func (o Obstacle) wayOut() string {
	switch o {
	case OtherMissing:
		return "which does not exist; create it, correct the name, or take it out of startAfter"
	case OtherElsewhere:
		return "which another controller runs (managedBy), so its end is not seen here; take it out of startAfter"
	}
	return "which has failed, and success is needed; create it anew, accept its failure with when: Completed, or take it out of startAfter"
}

func circle(roles []string) string {
	return fmt.Sprintf("roles start after each other in a circle, so none of them ever starts: %s; take one of these out of taskRoles[].startAfter", links(roles))
}

func circleOfFrameworks(role string, names []string) string {
	return fmt.Sprintf("role %s has no Pods: Frameworks start after each other in a circle, %s; take one of these out of taskRoles[].startAfter", role, links(names))
}

// links says what comes after what in a circle.
func links(circle []string) string {
	var all []string
	for i, name := range circle {
		all = append(all, fmt.Sprintf("%s after %s", name, circle[(i+1)%len(circle)]))
	}
	const most = 10
	if len(all) > most {
		all = append(all[:most], "and so on")
	}
	return strings.Join(all, ", ")
}

// awaited names the roles and the Frameworks that keep another one.
func (o Order) awaited() string {
	var what []string
	for _, a := range o.Awaited {
		switch {
		case a.Framework != "" && a.Succeeded:
			what = append(what, fmt.Sprintf("Framework %s has succeeded", a.Framework))
		case a.Framework != "":
			what = append(what, fmt.Sprintf("Framework %s has completed", a.Framework))
		case a.Succeeded:
			what = append(what, fmt.Sprintf("role %s has succeeded", a.Role))
		default:
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
