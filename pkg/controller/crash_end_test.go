package controller

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// end renders the outcome of a story, as far as it must not depend on crashes: how the Framework and its Tasks ended, after which
// retries, all objects created for them, and the remaining ones. It omits times, UIDs, texts for people, and the number of status
// writes.
func (p *play) end() string {
	var b strings.Builder
	p.endOfFramework(&b)
	var archived []string
	if p.sink != nil {
		archived = p.sink.attempts()
	}
	if p.logs != nil {
		archived = append(archived, p.logs.logs()...)
	}
	for _, line := range slices.Concat(p.everMade(), p.left(), archived) {
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (p *play) endOfFramework(b *strings.Builder) {
	f := p.Get(apitest.Frameworks, "a")
	if f == nil {
		b.WriteString("the Framework has gone\n")
		return
	}
	s := decodedStatus(f)
	fmt.Fprintf(b, "framework: %s, %s, %s, gate %t, tasks %+v\n", s.State, outcome(s.AttemptStatus.CompletionStatus), retries(s.RetryPolicyStatus),
		s.Gate != "", *s.Tasks)
	fmt.Fprintf(b, "up to date: %t\n", s.ObservedGeneration == f.GetGeneration())
	for _, kind := range []string{v1.ConditionRunning, v1.ConditionCompleted, v1.ConditionFailed, v1.ConditionWaiting, v1.ConditionStatusInvalid} {
		fmt.Fprintf(b, "%s: %s\n", kind, p.endOfCondition(kind))
	}
	if h := s.AttemptStatus.SchedulerHints; h != nil {
		fmt.Fprintf(b, "hints of %s for %s: %s\n", h.Plugin, h.Scale, h.Answer)
	}
	for _, n := range s.AvoidedNodes {
		fmt.Fprintf(b, "avoids %s of role %q: %s, relaxed %t, because of %s-%d with %d\n", n.Name, n.Role, n.Mode, n.Relaxed, n.TaskRoleName, n.TaskIndex, n.Code)
	}
	for _, r := range s.AttemptStatus.TaskRoleStatuses {
		for _, t := range r.TaskStatuses {
			fmt.Fprintf(b, "task %s-%d: %s, %s, %s, to be removed %t\n", r.Name, t.Index, t.State, taskOutcome(t.AttemptStatus.CompletionStatus),
				retries(t.RetryPolicyStatus), t.DeletionPending)
			for _, m := range t.Memory {
				fmt.Fprintf(b, "memory of %s-%d: %+v\n", r.Name, t.Index, m)
			}
		}
	}
}

// endOfCondition treats a condition that is over, and one that never held, as equal: the process that met the blocker remembers
// it only if it lived to store it.
func (p *play) endOfCondition(kind string) string {
	c := p.condition("a", kind)
	if kind == v1.ConditionWaiting && strings.HasPrefix(c, "False") {
		return ""
	}
	return c
}

func outcome(s *v1.FrameworkAttemptCompletionStatus) string {
	if s == nil {
		return "undecided"
	}
	text := outcomeText(s.CompletionStatus)
	if s.Trigger != nil {
		text += fmt.Sprintf(" by %s-%d", s.Trigger.TaskRoleName, s.Trigger.TaskIndex)
	}
	return text
}

func taskOutcome(s *v1.TaskAttemptCompletionStatus) string {
	if s == nil {
		return "undecided"
	}
	return outcomeText(s.CompletionStatus)
}

func outcomeText(s v1.CompletionStatus) string {
	by := ""
	if s.Source != nil {
		by = " says " + s.Source.Plugin
	}
	return fmt.Sprintf("%d %s %s%v%s", s.Code, s.Phrase, s.Type.Name, s.Type.Attributes, by)
}

func retries(s v1.RetryPolicyStatus) string {
	delay := "no delay"
	if s.RetryDelaySec != nil {
		delay = fmt.Sprint("delay ", *s.RetryDelaySec)
	}
	return fmt.Sprintf("%d retries, %d of them count, %s", s.TotalRetriedCount, s.AccountableRetriedCount, delay)
}

// everMade counts all objects that ever existed by their purpose.
func (p *play) everMade() []string {
	counts := map[string]int{}
	for _, resource := range []string{apitest.ConfigMaps, apitest.Pods} {
		frameworks, tasks := numbering{}, numbering{}
		for _, o := range p.everThere(resource) {
			a := o.GetAnnotations()
			what := fmt.Sprintf("%s of framework %d attempt %s", o.GetName(), frameworks.of(a[v1.KeyFrameworkUID]), a[v1.KeyFrameworkAttemptID])
			if resource == apitest.Pods {
				where := fmt.Sprintf("%s of attempt %s", o.GetName(), a[v1.KeyFrameworkAttemptID])
				what += fmt.Sprintf(", task %d attempt %s, image %s", tasks.within(where, a[v1.KeyTaskUID]), a[v1.KeyTaskAttemptID], imageOf(o))
			}
			counts[what]++
		}
	}
	var lines []string
	for what, n := range counts {
		lines = append(lines, fmt.Sprintf("made %d %s", n, what))
	}
	slices.Sort(lines)
	return lines
}

// everThere returns each object there ever was for a Framework, once, by name and in order.
func (p *play) everThere(resource string) (out []*unstructured.Unstructured) {
	names := map[string]bool{}
	for _, q := range p.Requests("create " + resource) {
		names[q.Name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		seen := map[string]bool{}
		for _, o := range p.History(resource, name) {
			if o == nil || seen[string(o.GetUID())] || o.GetAnnotations()[v1.KeyFrameworkUID] == "" {
				continue
			}
			seen[string(o.GetUID())] = true
			out = append(out, o)
		}
	}
	return out
}

// numbering gives names numbers in the order in which they appear.
type numbering map[string][]string

func (n numbering) of(name string) int { return n.within("", name) }

func (n numbering) within(group, name string) int {
	if !slices.Contains(n[group], name) {
		n[group] = append(n[group], name)
	}
	return slices.Index(n[group], name)
}

func imageOf(pod *unstructured.Unstructured) string {
	containers, _, _ := unstructured.NestedSlice(pod.Object, "spec", "containers")
	image, _, _ := unstructured.NestedString(containers[0].(map[string]any), "image")
	return image
}

// left names the objects that are there.
func (p *play) left() (lines []string) {
	for _, resource := range []string{apitest.ConfigMaps, apitest.Pods, apitest.Services, apitest.Secrets} {
		for _, o := range p.List(resource) {
			lines = append(lines, fmt.Sprintf("left %s %s, terminating %t", resource, o.GetName(), o.GetDeletionTimestamp() != nil))
		}
	}
	return lines
}

// decodedStatus is statusOf for a status that may be stored compressed.
func decodedStatus(o *unstructured.Unstructured) *v1.FrameworkStatus {
	if s := statusOf(o); s.AttemptStatus.TaskRoleStatusesCompressed == nil {
		if s.Tasks == nil {
			s.Tasks = &v1.TaskCounts{}
		}
		return s
	}
	text, err := json.Marshal(o.Object["status"])
	if err != nil {
		panic(err)
	}
	s, err := statusjson.Decode(text)
	if err != nil {
		panic(err)
	}
	return s
}
