package lifecycle_test

import (
	"fmt"
	"strings"
)

// command is one line of a story, and the lines below it.
type command struct{ line, input string }

// schedule makes commands from bytes: any bytes are a schedule.
type schedule struct {
	bytes []byte
	// rough: things happen that no controller can make up for, such as a ConfigMap that is deleted without
	// waiting for its Pods. The laws about running Pods do not hold then.
	rough bool
	// scarce: at first nodes have no room, and the Framework does not wait for them for ever.
	scarce bool
	// judged: a plugin is asked about Pods that do not get to run.
	judged bool
	// bad: nodes are to blame for failures, and are avoided.
	bad bool
	// ordered: roles start after others.
	ordered bool
	// dependent: roles start after other Frameworks.
	dependent bool
	// asked: a scheduler is asked, and has the first word about Pods.
	asked bool
	// logged: logs are collected before Pods are deleted.
	logged bool
	// timed: the Framework and its Tasks may run for a limited time.
	timed bool
	// archived: what has ended is archived before it is dropped.
	archived bool
	// inTurns: not all Tasks of a role may have Pods at once.
	inTurns bool
	// listed: roles have items.
	listed bool
	// storing: there are volumes.
	storing bool
	// hungry: containers run out of memory, and get more.
	hungry bool
}

func (s *schedule) next(n int) int {
	if len(s.bytes) == 0 {
		return 0
	}
	b := s.bytes[0]
	s.bytes = s.bytes[1:]
	return int(b) % n
}

func (s *schedule) pick(options ...string) string { return options[s.next(len(options))] }

// ifRough picks one of the options if the schedule is rough, otherwise it is the first.
func (s *schedule) ifRough(options ...string) string {
	if !s.rough {
		options = options[:1]
	}
	return s.pick(options...)
}

func (s *schedule) task() string {
	return s.pick("a-0", "a-0", "a-1", "a-1", "a-2", "b-0", "b-0", "b-1", "b-2")
}

// commands makes the story of a whole schedule, which begins with a Framework.
func (s *schedule) commands() []command {
	story := []command{{line: "set slow on"}, {line: "set async " + s.pick("off", "on")}, s.framework()}
	if s.judged {
		story = append(story, command{line: "set judge on"})
	}
	if s.asked {
		story = append(story, command{line: "set scheduler on"})
	}
	if s.archived {
		story = append(story, command{line: "set history on"})
	}
	if s.logged {
		story = append(story, command{line: "set logs on"})
	}
	if s.scarce {
		story = append(story, command{line: "set crowded on"}, command{line: "edit place=30"})
	}
	if s.bad {
		story = append(story, s.badNodes()...)
	}
	if s.ordered {
		story = append(story, command{line: "edit", input: "a x2 max=1\nb x2 " + s.after() + "\n"})
	}
	if s.dependent {
		story = append(story, command{line: "edit", input: "a after=framework:" + s.pick("p/Succeeded", "p/Completed") + "\nb x2 max=1 " + s.afterOther() + "\n"})
	}
	if s.inTurns {
		story = append(story, command{line: "edit", input: "a x3 failed=-1 parallel=1\nb x3 failed=-1 parallel=2\n"})
	}
	if s.hungry {
		story = append(story, command{line: "edit", input: "a max=-1 mem=100Mi/50Mi oom=1.5/300Mi\nb max=1 mem=100Mi " + s.maximum() + "\n"})
	}
	if s.timed {
		story = append(story, command{line: "edit deadline=" + s.pick("20", "60", "300"), input: "a deadline=" + s.pick("30", "10", "no") + "\n"})
	}
	if s.listed {
		story = append(story, command{line: "list l x y z"}, command{line: "edit", input: "a x1 items=p,q failed=-1\nb x1 items=@l failed=-1\n"})
	}
	for len(s.bytes) > 0 {
		if s.listed && s.next(4) == 0 {
			story = append(story, s.items())
		}
		if s.hungry && s.next(3) == 0 {
			story = append(story, s.hunger())
		}
		if s.inTurns && s.next(4) == 0 {
			story = append(story, s.turns())
		}
		if s.timed && s.next(4) == 0 {
			story = append(story, s.deadline())
		}
		if s.ordered && s.next(4) == 0 {
			story = append(story, s.order())
		}
		if s.dependent && s.next(4) == 0 {
			story = append(story, s.otherFramework())
		}
		if s.storing && s.next(3) == 0 {
			story = append(story, s.volumes()...)
		}
		if s.bad && s.next(4) == 0 {
			story = append(story, s.badNode())
		}
		if s.asked && s.next(3) > 0 {
			story = append(story, s.scheduler())
		}
		if s.archived && s.next(3) > 0 {
			story = append(story, command{line: "archived" + s.pick("", "", " all", " lost")})
		}
		if s.logged && s.next(3) > 0 {
			story = append(story, command{line: "logged" + s.pick("", "", " all")})
		}
		story = append(story, s.command())
	}
	return story
}

// turns is about how many Tasks have Pods at once, and makes room for others.
func (s *schedule) turns() command {
	switch s.next(4) {
	case 0:
		return command{line: "edit", input: s.pick("a", "b") + " parallel=" + s.pick("1", "2", "3", "no") + s.pick("", "", " x5", " x2") + "\n"}
	}
	return command{line: "exit " + s.pick("a-0", "a-1", "a-2", "a-3", "a-4", "b-0", "b-1", "b-2", "b-3", "b-4") + s.pick(" 0", " 0", " 9", " 200")}
}

// items is about the items of roles, and about controllers that forget them.
func (s *schedule) items() command {
	switch s.next(6) {
	case 0:
		return command{line: "edit", input: s.pick("a", "b") + " items=" + s.pick("p,q", "p,q,r", "p", "q,p", "@l", "@m", "no") + s.pick("", " x1", " x2", " x5") + "\n"}
	case 1, 2:
		return command{line: "list " + s.pick("l", "l", "m") + s.pick("", " x y z", " x y z v", " x", " v y z")}
	case 3:
		return command{line: "advance " + s.pick("10s", "1m", "2m")}
	case 4:
		return command{line: s.pick("restart", "edit suspend", "edit suspend=no")}
	}
	return command{line: "exit " + s.task() + s.pick(" 0", " 9", " 200")}
}

// volumes is about claims, about what others do with them, and about Tasks that come and go.
func (s *schedule) volumes() []command {
	switch s.next(9) {
	case 0:
		return []command{{line: "edit volume=no/" + s.pick("v", "w")}}
	case 1, 2:
		return []command{{line: "edit volume=" + s.pick("v", "v", "w") + "/" + s.pick("Framework", "Role", "Task", "Task") + "/" + s.pick("Delete", "Delete", "Retain") + s.pick("", "", "/a")}}
	case 3:
		return []command{{line: "claim " + s.pick("v", "v/a", "v/a/0", "v/a/1", "v/b/0", "w/a/2") + s.pick(" taken", " free", " deleted")}}
	case 4:
		return []command{{line: s.pick("fail", "lose", "delay") + s.pick(" keep claim", " delete claim")}}
	case 5:
		return s.putBack()
	}
	return []command{{line: "edit", input: fmt.Sprintf("%s x%d\n", s.pick("a", "a", "b"), s.next(4))}}
}

// putBack has Pods with a volume, takes it out and puts it back. Pods may end in between or afterwards.
func (s *schedule) putBack() []command {
	present := "edit volume=v/" + s.pick("Task", "Task", "Task", "Role", "Framework") + "/Delete"
	story := []command{{line: present}, {line: "run"}}
	for range 3 {
		story = append(story, command{line: "exit " + s.task() + s.pick(" 9", " 200")})
	}
	story = append(story, command{line: "run"}, command{line: "advance 5m"}, command{line: "edit volume=no/v"}, command{line: "run"})
	if s.next(2) == 0 {
		story = append(story, command{line: s.pick("restart", "exit "+s.task()+" 9")})
	}
	return append(story, command{line: present}, command{line: "exit " + s.task() + s.pick(" 9", " 200")})
}

// maximum is one up to which memory is raised.
func (s *schedule) maximum() string {
	return s.pick("oom=2/1Gi", "oom=1.5/150Mi", "oom=10/300Mi", "oom=2/50Mi", "oom=no")
}

// hunger is about containers that run out of memory.
func (s *schedule) hunger() command {
	switch s.next(6) {
	case 0:
		return command{line: "edit", input: s.pick("a", "b") + " " + s.maximum() + "\n"}
	case 1:
		return command{line: "edit", input: s.pick("a", "b") + " mem=" + s.pick("100Mi", "200Mi/20Mi", "700Mi", "no") + "\n"}
	}
	return command{line: "oom " + s.task() + s.pick("", "", " 210")}
}

// scheduler is about what the scheduler says.
func (s *schedule) scheduler() command {
	switch s.next(8) {
	case 0:
		return command{line: "evict" + s.pick("", " grace=5")}
	case 1:
		return command{line: s.pick("withhold", "reconsider")}
	}
	if s.next(8) == 0 {
		return command{line: "edit queue=" + s.pick("q1", "q2")}
	}
	return command{line: "admit" + s.pick("", "", " follow", " start", " follow start")}
}

func (s *schedule) badNodes() []command {
	return []command{
		{line: "nodes n0 n1 n2"}, {line: "edit avoid=" + s.pick("no", "Require/60/2", "Prefer/3600/1", "Require/3600/10")},
		{line: "edit", input: "a x2 max=-1 avoid=" + s.pick("Require/3600/10", "Require/30/1", "Prefer/600/2", "no") + "\n"},
	}
}

// after is one more role to start after, or none any more.
func (s *schedule) after() string {
	return "after=" + s.pick("a", "a", "a", "b", "c", "d") + s.pick("/Succeeded", "/Succeeded", "/Running", "/Ready", "/Addressed", "")
}

// order is about what roles start after, and how far they come.
func (s *schedule) order() command {
	switch s.next(8) {
	case 0:
		return command{line: "edit", input: s.pick("b", "b", "c", "a") + " " + s.pick(s.after(), s.after(), "after=no") + "\n"}
	case 1:
		return command{line: "edit", input: fmt.Sprintf("c x%d %s\n", s.next(3), s.after())}
	case 2, 3:
		return command{line: "ready " + s.task() + s.pick("", "", " no")}
	}
	return command{line: "exit " + s.task() + s.pick(" 0", " 0", " 0", " 9")}
}

// afterOther is one more Framework, or role, to start after, or none any more.
func (s *schedule) afterOther() string {
	return "after=" + s.pick("framework:p/", "framework:q/", "a/") + s.pick("Succeeded", "Succeeded", "Completed")
}

// otherFramework is about the Frameworks that roles start after, and how far they come.
func (s *schedule) otherFramework() command {
	switch s.next(8) {
	case 0:
		return command{line: "edit", input: s.pick("a", "b") + " " + s.pick(s.afterOther(), s.afterOther(), "after=no") + "\n"}
	case 1:
		return command{line: "circle" + s.pick("", " demo p", " demo q r")}
	case 2:
		return command{line: "exit " + s.task() + s.pick(" 0", " 9")}
	}
	return command{line: "other " + s.pick("p", "q") + s.pick("", "", " Succeeded", " Failed", " gone", " elsewhere")}
}

// deadline is about the time for which something may run, and about time.
func (s *schedule) deadline() command {
	switch s.next(6) {
	case 0:
		return command{line: "edit deadline=" + s.pick("no", "1", "30", "60", "600")}
	case 1:
		return command{line: "edit", input: s.pick("a", "b") + " deadline=" + s.pick("no", "1", "30", "60") + "\n"}
	case 2:
		return command{line: "edit suspend" + s.pick("", "=no", "=no")}
	}
	return command{line: "advance " + s.pick("1s", "5s", "10s", "30s", "-5s", "2m")}
}

// badNode is about nodes, and what is to blame.
func (s *schedule) badNode() command {
	switch s.next(8) {
	case 0:
		return command{line: "nodes " + s.pick("", "n0", "n1", "n0 n1", "n0 n1 n2")}
	case 1:
		return command{line: "edit avoid=" + s.pick("no", "Require/60/2", "Prefer/3600/1", "Require/3600/10")}
	case 2:
		return command{line: "edit", input: s.pick("a", "b") + " avoid=" + s.pick("Require/3600/10", "Require/30/1", "Prefer/600/2", "no") + "\n"}
	case 3:
		return command{line: "advance " + s.pick("-5s", "10s", "2m", "2h")}
	}
	return command{line: "exit " + s.task() + s.pick(" 9", " 200")}
}

func (s *schedule) framework() command {
	return command{
		line:  strings.TrimSpace("framework " + s.frameworkArgs()),
		input: fmt.Sprintf("a x%d %s\nb x%d %s\n", s.next(4), s.roleArgs(), s.next(3), s.roleArgs()),
	}
}

func (s *schedule) frameworkArgs() string {
	return s.pick("", "max=1", "max=-1", "max=-2", "fancy", "fancy max=2", "exec=Create", "max=1 backoff=10/60",
		"max=-1 window=1/300", "fancy budget=attribute=Conflict/1", "budget=code=9/2")
}

func (s *schedule) roleArgs() string {
	return s.pick("", "failed=2", "failed=3 succeeded=1", "failed=-1", "succeeded=2") + " " +
		s.pick("", "max=1", "max=-1", "max=-2", "fancy", "fancy max=1", "max=2 backoff=10/60") + " " +
		s.pick("", "", "max=-1 restart=Role", "max=3 restart=Role backoff=10/60", "max=-1 restart=Framework", "fancy max=1 restart=Role", "restart=Task") + " " +
		s.pick("", "", "", "max=-1 window=2/60", "window=no", "budget=code=9/1", "fancy budget=attribute=Transient/1 budget=phrase=ContainerPermanentFailed/2", "budget=no") + " " +
		s.pick("", "", "", "role=1", "max=1 role=2", "role=-1", "role=no") + " " +
		s.pick("", "", "timeout=30", "timeout=null") + " " +
		s.pick("", "", "", "logs=None", "logs=Keep") + " " +
		s.pick("", "", "start=20/30/40/60", "start=5/0/0/0", "start=0/30/0/20", "start=no")
}

// command is weighted: ordinary life is more frequent than trouble.
func (s *schedule) command() command {
	switch s.next(32) {
	case 0, 1, 2, 3, 4, 5, 6, 7:
		return command{line: "turn"}
	case 8, 9, 10:
		return command{line: "run"}
	case 11:
		return command{line: "round"}
	case 12, 13:
		return command{line: "deliver " + s.pick("pods", "pods", "configmap", "framework")}
	case 14:
		return command{line: s.pick("deliver", "collect", "kubelet", "request", "request 1", "request 2")}
	case 15, 16:
		return command{line: "kubelet " + s.task()}
	case 17, 18, 19, 20, 21, 22:
		return command{line: "exit " + s.task() + " " + s.pick("0", "9", "200", "201", "210", "-210")}
	case 23, 24:
		return command{line: "advance " + s.pick("1s", "5s", "30s", "5m", "15m")}
	case 25, 26:
		return s.edit()
	case 27, 28:
		return s.trouble()
	case 29:
		return command{line: "restart" + s.ifRough("", " 1", " 3", " 100")}
	}
	return s.others()
}

func (s *schedule) edit() command {
	if s.next(4) == 0 {
		return command{line: "edit " + s.pick("exec=Start", "exec=Stop", "max=1", "fancy", "max=0 fancy=no", "ttl=60")}
	}
	role := s.pick("a", "b")
	if s.next(6) == 0 {
		return command{line: "edit", input: "-" + role + "\n"}
	}
	return command{line: "edit", input: fmt.Sprintf("%s x%d %s\n", role, s.next(4), s.roleArgs())}
}

// trouble goes wrong with the next requests.
func (s *schedule) trouble() command {
	request := s.pick("create", "create pod", "create configmap", "delete", "delete pod", "read", "save", "save")
	switch s.next(5) {
	case 0:
		return command{line: "fail " + request}
	case 1:
		return command{line: "lose " + request}
	case 2:
		return command{line: s.pick("delay create", "delay delete", "land", "land")}
	case 3:
		return command{line: "refuse create pod " + s.pick("-200", "-310")}
	}
	return command{line: "crash " + s.pick("0", "1", "2", "3")}
}

// others do things that the controller has not asked for.
func (s *schedule) others() command {
	switch s.next(21) {
	case 17, 18:
		return command{line: "orphan " + s.task()}
	case 19, 20:
		return command{line: "refusing " + s.pick("node1", "n0", "n0 n1 n2", "")}
	case 12:
		return command{line: "initialize " + s.task() + s.pick("", " done")}
	case 13, 14:
		return command{line: "judge " + s.task() + s.pick(" 77", " 30s", " no", " no")}
	case 15, 16:
		return command{line: "advise " + s.task() + s.pick("", " restart=Role", " restart=Framework", " restart=Task", " delay=30", " delay=0 restart=Role", " giveup")}
	case 0:
		return command{line: "delete configmap" + s.ifRough("", " force")}
	case 1:
		return command{line: "delete framework" + s.ifRough("", " background")}
	case 2:
		return command{line: "intrude pod " + s.task()}
	case 3:
		return s.framework()
	case 4:
		return command{line: "delete pod " + s.task() + " force"}
	case 5:
		return command{line: "set " + s.pick("crowded", "held", "blind") + s.pick(" on", " off")}
	case 6:
		return command{line: "stall " + s.task() + s.pick("", " ImageNotPulled c no such image", " ContainerNotStarted c no Secret",
			" ContainerCrashing c exit code 1", " PodNotStarted", " SchedulingGated", " PodNotScheduled", " Unschedulable")}
	case 11:
		return command{line: "edit place=" + s.pick("30", "30", "no") + s.pick("", " gang=2", " gang=no")}
	case 9, 10:
		return command{line: "edit suspend" + s.pick("", "", "=no")}
	case 7, 8:
		return command{line: "keep " + s.task() + s.pick("", " example.com/keep")}
	}
	return command{line: "delete pod " + s.task()}
}

// fairEnd lets everything that is still under way come to its end: what was lost arrives, what was held back
// goes on, nobody interferes any more, and enough time passes for every timer but the retention.
func fairEnd() []command {
	end := []command{{line: "heal"}, {line: "run"}, {line: "heal"}} // the second time by force
	for range 6 {
		end = append(end, command{line: "run"}, command{line: "advance 20m"})
	}
	return append(end, command{line: "run"})
}
