package lifecycle_test

import (
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// naiveBytes reads a quantity that is right.
func naiveBytes(text string) int64 {
	q := resource.MustParse(text)
	return q.Value()
}

// lawRaisedMemory: memory is raised only by the end of a Pod's attempt, never above the maximum, and is never forgotten, not even by a new
// attempt of the Framework. A raise is stored together with the end, and so before the next Pod.
func (c *checker) lawRaisedMemory(in lifecycle.Input, out lifecycle.Output) {
	if in.Saved == nil {
		return
	}
	eachTask(out.State, func(ref lifecycle.TaskRef, t *v1.TaskStatus) {
		before := in.Saved.Task(ref)
		if before == nil {
			before = &v1.TaskStatus{}
		}
		known := map[string]int64{}
		for _, m := range before.Memory {
			known[m.Container] = naiveBytes(m.Limit)
		}
		for _, m := range t.Memory {
			if naiveBytes(m.Limit) > known[m.Container] {
				c.lawRaise(in, out, ref, m)
				delete(known, m.Container)
			}
			if naiveBytes(m.Limit) == known[m.Container] {
				delete(known, m.Container)
			}
		}
		if len(known) > 0 && !before.DeletionPending {
			c.violationf("memory: nothing is forgotten", "%s: %s -> %s", ref, text(before), text(t))
		}
	})
}

// lawRaise: a raise is within the policy, above the container's previous memory, and stored with the end that caused it.
func (c *checker) lawRaise(in lifecycle.Input, out lifecycle.Output, ref lifecycle.TaskRef, m v1.ContainerMemory) {
	limit, most := naiveBytes(m.Limit), v1.MaxAdvisedMemoryFactor*naiveBytes(m.FirstLimit)
	for i := range in.Framework.Spec.TaskRoles {
		if r := &in.Framework.Spec.TaskRoles[i]; r.Name == ref.Role && r.Task.RetryPolicy.OnOOM != nil {
			most = naiveBytes(r.Task.RetryPolicy.OnOOM.MaxMemory)
		}
	}
	if limit > most || m.Request != "" && naiveBytes(m.Request) > limit {
		c.violationf("memory: no more than the maximum", "%s: %s of %d", ref, text(m), most)
	}
	view := in.Observed.Pods[ref].Pod
	had := int64(0)
	if view != nil {
		for _, container := range view.Outcome.Containers {
			if container.Name == m.Container {
				had = container.MemoryLimit
			}
		}
	}
	if had == 0 || limit <= had {
		c.violationf("memory: more than it had", "%s: %s after %d", ref, text(m), had)
	}
	for _, action := range out.Actions {
		if create, ok := action.(lifecycle.CreatePod); ok && create.Task == ref {
			c.violationf("memory: stored before the Pod", "%s", action)
		}
	}
}

// lawMemoryOfPods: no Pod has more than its template or the maximum allows, by any spec of the Framework so far.
func (c *checker) lawMemoryOfPods() {
	uid, exists := c.story.Framework()
	if !exists || uid != c.framework {
		return
	}
	spec := c.story.Spec()
	for i := range spec.TaskRoles {
		r := &spec.TaskRoles[i]
		most := int64(700 << 20) // the largest template of schedules
		if r.Task.RetryPolicy.OnOOM != nil {
			most = max(most, naiveBytes(r.Task.RetryPolicy.OnOOM.MaxMemory))
		}
		c.memoryOf[r.Name] = max(c.memoryOf[r.Name], most)
	}
	for _, pod := range c.story.Pods() {
		if most := c.memoryOf[pod.Task.Role]; pod.MemoryLimit > most && !pod.Foreign {
			c.violationf("memory: no Pod has more than the maximum", "%s has %d of %d", pod.Task, pod.MemoryLimit, most)
		}
	}
}
