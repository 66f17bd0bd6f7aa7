package lifecycletest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// setMode: "set slow on": switches one of the modes.
func (s *Story) setMode(args []string, _ string) error {
	modes := map[string]*bool{"slow": &s.slow, "lag": &s.lag, "stuck": &s.stuck, "async": &s.controller.async,
		"crowded": &s.server.crowded, "held": &s.server.held, "blind": &s.server.blind,
		"policy": &s.controller.asking.Completion, "scheduler": &s.controller.asking.Hints, "judge": &s.controller.asking.Start,
		"classifier": &s.controller.asking.Classification, "history": &s.controller.asking.Archive, "logs": &s.controller.asking.Logs, "pondering": &s.controller.pondering}
	if len(args) != 2 || modes[args[0]] == nil || !slices.Contains([]string{"on", "off"}, args[1]) {
		return fmt.Errorf("set wants one of slow, lag, stuck, async, crowded, held, blind, policy, scheduler, judge, classifier, history, logs, pondering, and on or off")
	}
	*modes[args[0]] = args[1] == "on"
	return nil
}

// deliver: "deliver [framework|configmap|pods]": a cache gets one change; without argument, all get all.
func (s *Story) deliver(args []string, _ string) error {
	if len(args) == 0 {
		s.catchUp()
		return nil
	}
	k, ok := map[string]kind{"framework": frameworks, "configmap": configMaps, "pods": pods}[args[0]]
	if !ok {
		return fmt.Errorf("%q is none of `framework`, `configmap` and `pods`", args[0])
	}
	s.controller.deliver(k)
	return nil
}

// request: "request [<n>]": the first action under way, or the n-th after it, gets a step further: its request
// arrives, or its answer.
func (s *Story) request(args []string, _ string) (err error) {
	n := int32(0)
	if len(args) > 0 {
		n, err = parseInt32(args[0])
	}
	s.controller.advance(int(n))
	return err
}

// kubelet: "kubelet [a-0]": one Pod, or all, get one step further on their nodes.
func (s *Story) kubelet(args []string, _ string) error {
	if len(args) == 0 {
		s.server.runNodes()
		return nil
	}
	n, err := parsePod(args[0])
	if err != nil {
		return err
	}
	if pod := s.server.objects[n]; pod != nil && pod.owner() != "" {
		s.server.runNode(pod)
	}
	return nil
}

// heal: "heal": an end of all trouble. What was to go wrong does not, late requests arrive, intruders leave, and
// caches and nodes do their work. Other Frameworks succeed, a scheduler admits what it is asked about, a sink takes what it gets, and logs are collected.
func (s *Story) heal(_ []string, _ string) error {
	s.faults.list, s.faults.crashIn = nil, -1
	s.lag, s.stuck = false, false
	s.server.crowded, s.server.held, s.server.refusing = false, false, nil
	s.server.others.succeed(s.controller.awaited())
	s.controller.willing = true
	s.controller.admit(false, false)
	s.controller.archiveAll()
	s.controller.collectAllLogs()
	if len(s.server.nodes) == 0 {
		s.server.nodes = []string{"node1"}
	}
	s.controller.full = true
	s.server.land()
	for _, o := range s.server.listed(pods, (*object).stalled) {
		s.server.update(o.name, func(o *object) { o.pod.StallCause, o.pod.initializing = nil, false })
	}
	for _, o := range s.server.listed(pods, func(o *object) bool { return o.pod.finalizer != "" }) {
		s.server.update(o.name, func(o *object) { o.pod.finalizer = "" })
	}
	s.server.freeClaims()
	for k := configMaps; k <= pods; k++ {
		for _, o := range s.server.listed(k, func(o *object) bool { return o.owner() == "" }) {
			s.server.remove(o.name)
		}
	}
	return nil
}

// configure takes those arguments that are configuration.
func (s *Story) configure(args []string) (others []string, err error) {
	config := &s.controller.config
	for _, arg := range args {
		key, value, _ := strings.Cut(arg, "=")
		switch key {
		case "conflict":
			_, err = fmt.Sscanf(value, "%d/%d", &config.ConflictRetryDelayMinSec, &config.ConflictRetryDelayMaxSec)
		case "creation":
			config.CreationTimeout, err = time.ParseDuration(value)
		case "tasks":
			config.MaxTasks, err = strconv.Atoi(value)
		case "retention":
			config.CompletedRetention, err = time.ParseDuration(value)
		default:
			others = append(others, arg)
		}
		if err != nil {
			return nil, err
		}
	}
	return others, nil
}

func parseInt32(text string) (int32, error) {
	n, err := strconv.ParseInt(text, 10, 32)
	return int32(n), err
}
