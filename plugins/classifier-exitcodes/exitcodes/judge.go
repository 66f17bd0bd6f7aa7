package exitcodes

import (
	"fmt"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// judge returns nil for no opinion.
func (p *policy) judge(pod *pluginpb.FailedPod) *pluginpb.Verdict {
	c := plugin.LastFailed(pod)
	if c == nil || anyPredefined(pod, c) {
		return nil
	}
	exit := c.GetTerminated().GetExitCode()
	if v := p.outOfMemory.judge(pod, c); v != nil {
		return v
	}
	known, found := p.find(pod, exit)
	code := known.codeOf(exit, found)
	if completion.IsReserved(code) {
		return nil
	}
	if v := p.sameCodeOnNodes.judge(pod, exit, code); v != nil {
		return v
	}
	if !found {
		return nil
	}
	return &pluginpb.Verdict{
		Code: code, Phrase: known.meaning.Phrase, Type: known.meaning.completionType(), Rule: known.key,
		Diagnostics: fmt.Sprintf("container %s exited with code %d%s", c.GetName(), exit, because(c)),
	}
}

// codeOf returns the code of a verdict on an exit code: the entry's own, else the exit code as the configuration spells
// it. An exit code without an entry, or spelt like a code of the controller, gets the code that it has without a
// plugin.
func (e entry) codeOf(exit int32, found bool) int32 {
	switch {
	case found && e.meaning.Code != nil:
		return *e.meaning.Code
	case found && !completion.IsReserved(exit):
		return exit
	default:
		return completion.OfExit(exit)
	}
}

// predefined are the exit codes with the same meaning everywhere.
var predefined = []int32{
	completion.CodeContainerTransientFailed, completion.CodeContainerTransientConflictFailed, completion.CodeContainerPermanentFailed,
}

// anyPredefined reports whether a container that counts ended with such a code. In contract 4.4 these precede the configuration, whichever
// container it was. Sidecars count only if no other container failed, in which case the last one to fail is a sidecar.
func anyPredefined(pod *pluginpb.FailedPod, last *pluginpb.Container) bool {
	return slices.ContainsFunc(pod.GetContainers(), func(c *pluginpb.Container) bool {
		return c.GetSidecar() == last.GetSidecar() && slices.Contains(predefined, c.GetTerminated().GetExitCode())
	})
}

// find tries the most specific table first.
func (p *policy) find(pod *pluginpb.FailedPod, code int32) (entry, bool) {
	for _, t := range []table{p.taskRoles[pod.GetTaskRole()], p.namespaces[pod.GetFramework().GetNamespace()], p.codes} {
		if e, found := t.find(code); found {
			return e, true
		}
	}
	return entry{}, false
}

func because(c *pluginpb.Container) string {
	if reason := c.GetTerminated().GetReason(); reason != "" {
		return ", reason " + reason
	}
	return ""
}

// judge counts the nodes of earlier attempts that ended with the code, and this one's.
func (s *sameCodeOnNodes) judge(pod *pluginpb.FailedPod, exit, code int32) *pluginpb.Verdict {
	if s == nil || !slices.ContainsFunc(s.ranges, func(r codeRange) bool { return r.contains(exit) }) {
		return nil
	}
	nodes := map[string]bool{pod.GetNode(): true}
	for _, earlier := range pod.GetEarlier() {
		if earlier.GetCode() == code {
			nodes[earlier.GetNode()] = true
		}
	}
	delete(nodes, "") // a Pod that was never bound has no node
	if len(nodes) < s.Nodes {
		return nil
	}
	return &pluginpb.Verdict{
		Code: code, Phrase: s.Phrase, Type: plugin.Failed(plugin.Permanent), Rule: "sameCodeOnNodes",
		Diagnostics: fmt.Sprintf("exit code %d on %d different nodes: %s", exit, len(nodes), strings.Join(sorted(nodes), ", ")),
	}
}

// Phrases for Pods whose containers used too much memory. The first one also identifies them when they are counted.
const (
	phraseOutOfMemory      = "ContainerOutOfMemory"
	phraseOutOfMemoryAgain = "ContainerOutOfMemoryAgain"
)

func (o *outOfMemory) judge(pod *pluginpb.FailedPod, c *pluginpb.Container) *pluginpb.Verdict {
	t := c.GetTerminated()
	if o == nil || t.GetReason() != "OOMKilled" || completion.IsReserved(t.GetExitCode()) {
		return nil
	}
	times := 1
	for _, earlier := range pod.GetEarlier() {
		if earlier.GetPhrase() == phraseOutOfMemory {
			times++
		}
	}
	v := &pluginpb.Verdict{
		Code: t.GetExitCode(), Phrase: phraseOutOfMemory, Type: plugin.Failed(plugin.Transient), Rule: "outOfMemory",
		Diagnostics: fmt.Sprintf("container %s was killed for the memory it used, %d of %d times", c.GetName(), times, o.Times),
	}
	if times >= o.Times {
		v.Phrase, v.Type = phraseOutOfMemoryAgain, plugin.Failed(plugin.Permanent)
	}
	return v
}

func sorted(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for name := range set {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
