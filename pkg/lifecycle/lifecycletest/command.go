package lifecycletest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// commands by name. Each gets the story, its arguments, and the lines below it.
var commands map[string]func(s *Story, args []string, input string) error

func init() {
	commands = map[string]func(*Story, []string, string) error{
		"new":        func(s *Story, _ []string, _ string) error { s.begin(); return nil },
		"given":      (*Story).given,
		"framework":  (*Story).createFramework,
		"edit":       (*Story).editFramework,
		"delete":     (*Story).deleteObject,
		"intrude":    (*Story).intrude,
		"exit":       (*Story).exit,
		"memory":     (*Story).showMemory,
		"oom":        (*Story).oom,
		"complete":   (*Story).complete,
		"stall":      (*Story).stall,
		"ready":      (*Story).ready,
		"initialize": (*Story).initialize,
		"disrupt":    (*Story).disrupt,
		"orphan":     (*Story).orphan,
		"reject":     (*Story).reject,
		"nodes":      (*Story).setNodes,
		"refusing":   (*Story).setRefusing,
		"blame":      (*Story).blame,
		"keep":       (*Story).keep,
		"wipe":       (*Story).wipe,
		"list":       (*Story).setList,
		"claim":      (*Story).claimCommand,
		"advance":    (*Story).advance,
		"other":      (*Story).other,
		"circle":     (*Story).circle,

		"fail":    faultCommand(fail),
		"lose":    faultCommand(lose),
		"delay":   faultCommand(delay),
		"refuse":  faultCommand(refuse),
		"land":    func(s *Story, _ []string, _ string) error { s.server.land(); return nil },
		"crash":   (*Story).crash,
		"restart": (*Story).restart,

		"set":        (*Story).setMode,
		"answer":     (*Story).answer,
		"archived":   (*Story).archived,
		"logged":     (*Story).logged,
		"judge":      (*Story).judge,
		"admit":      (*Story).admit,
		"withhold":   (*Story).withhold,
		"evict":      (*Story).evict,
		"reconsider": (*Story).reconsider,
		"advise":     (*Story).advise,
		"run":        func(s *Story, _ []string, _ string) error { s.settle(); return nil },
		"turn":       func(s *Story, _ []string, _ string) error { s.turn(); return nil },
		"heal":       (*Story).heal,
		"round": func(s *Story, _ []string, _ string) error {
			s.holds = nil
			s.controller.round()
			s.printHolds()
			return nil
		},
		"deliver": (*Story).deliver,
		"request": (*Story).request,
		"collect": func(s *Story, _ []string, _ string) error { s.server.collectGarbage(); return nil },
		"kubelet": (*Story).kubelet,

		"status":     (*Story).showStatus,
		"earlier":    (*Story).showEarlier,
		"trigger":    (*Story).showTrigger,
		"avoided":    (*Story).showAvoided,
		"world":      (*Story).showWorld,
		"conditions": (*Story).showConditions,
		"events":     (*Story).showEvents,
		"pending":    (*Story).showPending,
	}
}

// parseName reads "framework", "configmap" or "pod a-0".
func parseName(args []string) (name, error) {
	switch {
	case len(args) == 1 && args[0] == "framework":
		return theFramework, nil
	case len(args) == 1 && args[0] == "configmap":
		return theConfigMap, nil
	case len(args) == 2 && args[0] == "pod":
		return parsePod(args[1])
	}
	return name{}, fmt.Errorf("%q is none of `framework`, `configmap` and `pod <role>-<index>`", args)
}

func parsePod(arg string) (name, error) {
	role, number, ok := strings.Cut(arg, "-")
	index, err := strconv.ParseInt(number, 10, 32)
	if !ok || err != nil {
		return name{}, fmt.Errorf("%q is not <role>-<index>", arg)
	}
	return podOf(lifecycle.TaskRef{Role: role, Index: int32(index)}), nil
}

// deleteObject: "delete <name> [force|background]", by anybody but the controller.
func (s *Story) deleteObject(args []string, _ string) error {
	last := len(args) - 1
	atOnce := last >= 0 && (args[last] == "force" || args[last] == "background")
	if atOnce {
		args = args[:last]
	}
	n, err := parseName(args)
	if err != nil {
		return err
	}
	switch o := s.server.objects[n]; {
	case o == nil:
	case atOnce:
		s.server.remove(n)
	default:
		return s.server.delete(n, o.uid, false)
	}
	return nil
}

// disrupt: "disrupt a-0 <reason> <words>": somebody lets a Pod say why it is to go. That it goes is another command.
func (s *Story) disrupt(args []string, _ string) error {
	if len(args) < 2 {
		return fmt.Errorf("disrupt wants a Pod and a reason")
	}
	n, err := parsePod(args[0])
	if pod := s.server.objects[n]; err == nil && pod != nil {
		why := &completion.Disruption{Reason: args[1], Message: strings.Join(args[2:], " ")}
		s.server.update(n, func(o *object) { o.pod.disruption = why })
	}
	return err
}

// orphan: "orphan a-0": the node is gone, and the garbage collector of Pods fails the Pod and says why, in one update. That it
// then deletes the Pod is another command. Nothing tells how the containers ended.
func (s *Story) orphan(args []string, _ string) error {
	n, err := parsePod(strings.Join(args, " "))
	if pod := s.server.objects[n]; err == nil && pod != nil && pod.onNode() {
		s.server.update(n, func(o *object) {
			o.end(lifecycle.PodFailed, completion.Pod{Containers: []completion.Container{{Name: "c"}}})
			o.pod.disruption = &completion.Disruption{Reason: "DeletionByPodGC", Message: "PodGC: node no longer exists"}
		})
	}
	return err
}

// keep: "keep a-0 <finalizer>": somebody puts a finalizer on the Pod, in place of the one that it has. "keep a-0": it has
// none any more.
func (s *Story) keep(args []string, _ string) error {
	if len(args) == 0 {
		return fmt.Errorf("keep wants a Pod")
	}
	n, err := parsePod(args[0])
	if pod := s.server.objects[n]; err == nil && pod != nil {
		s.server.update(n, func(o *object) { o.pod.finalizer = strings.Join(args[1:], "") })
	}
	return err
}

// intrude: "intrude <name>": somebody else takes a name that the controller wants.
func (s *Story) intrude(args []string, _ string) error {
	n, err := parseName(args)
	if err != nil {
		return err
	}
	_, _ = s.server.create(object{name: n, pod: podFields{Pod: lifecycle.Pod{TaskAttemptID: -1, Phase: lifecycle.PodRunning}}})
	return nil
}

// wipe: "wipe": somebody deletes the status by hand. The controller notices when it starts.
func (s *Story) wipe(_ []string, _ string) error {
	if s.server.objects[theFramework] != nil {
		s.server.update(theFramework, func(o *object) { o.framework.status = nil })
	}
	return nil
}

// exit: "exit a-0 <code> [<reason>]": the Pod's containers end.
func (s *Story) exit(args []string, _ string) error {
	if len(args) < 2 {
		return fmt.Errorf("exit wants a Pod and a code")
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	code, err := strconv.ParseInt(args[1], 10, 32)
	if err != nil {
		return err
	}
	if pod := s.server.objects[n]; pod != nil && pod.pod.executing {
		s.server.exitPod(pod, outcome{exit: int32(code), reason: strings.Join(args[2:], " ")})
	}
	return nil
}

// advance: "advance 5m": time passes, and nothing else.
func (s *Story) advance(args []string, _ string) error {
	d, err := time.ParseDuration(strings.Join(args, ""))
	s.server.now = s.server.now.Add(d)
	return err
}

// faultCommand: "fail create pod a-0", "lose save", "refuse create pod -200", or "fail 3" for the third request from
// now.
func faultCommand(how faultKind) func(*Story, []string, string) error {
	return func(s *Story, args []string, _ string) error {
		hit := fault{how: how}
		if how == refuse && len(args) > 0 {
			code, err := strconv.ParseInt(args[len(args)-1], 10, 32)
			if err != nil {
				return err
			}
			hit.code, args = completion.Code(code), args[:len(args)-1]
		}
		hit.prefix = strings.Join(args, " ")
		if n, err := strconv.Atoi(hit.prefix); err == nil {
			hit.prefix, hit.at = "", s.faults.requests+n
		}
		s.faults.list = append(s.faults.list, hit)
		return nil
	}
}

// crash: "crash 1": the controller makes that many requests more, and then restarts.
func (s *Story) crash(args []string, _ string) (err error) {
	s.faults.crashIn, err = strconv.Atoi(strings.Join(args, ""))
	return err
}

// restart: "restart [<n>]": the controller forgets everything. Its caches begin with what there is now, or so
// many changes before that.
func (s *Story) restart(args []string, _ string) error {
	behind := int32(0)
	if len(args) > 0 {
		n, err := parseInt32(args[0])
		if err != nil {
			return err
		}
		behind = n
	}
	s.controller.restart(int(behind))
	return nil
}
