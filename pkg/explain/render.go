package explain

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/reason"
)

// view is a statement as its sentence sees it: the arguments, and parts of sentences that are made from them.
type view struct {
	Args
	Topic   Topic
	Subject Subject

	about     Subject // what the whole answer is about
	framework string
	now       time.Time
}

// sentenceOf makes the sentence of a statement in an answer about something.
func sentenceOf(s Statement, about Subject, k *known) phrase {
	var r rendering
	if err := r.execute(string(s.Topic), topics[s.Topic].sentence, view{Args: s.Args, Topic: s.Topic, Subject: s.Subject, about: about, framework: k.Framework.Name, now: k.Now}); err != nil {
		return say(fmt.Sprintf("%s of %s: %v", s.Topic, s.Subject.Name, err))
	}
	return r.out
}

// Framework is the name of the Framework, Name that of the subject.
func (v view) Framework() string { return v.framework }
func (v view) Name() phrase      { return say(named(v.Subject)) }

// named is the name of a subject, and the subject itself if others may have more about it.
func named(s Subject) Part {
	if s.Kind == ofTask || s.Kind == ofNode {
		return Part{Text: s.Name, Subject: &s}
	}
	return Part{Text: s.Name}
}

// onNode is the name of a node.
func onNode(name string) Part { return named(Subject{Kind: ofNode, Name: name}) }

// At is a time of the past, and how long ago it was.
func (v view) At() phrase {
	if v.Since.IsZero() {
		return say("an unknown time")
	}
	return say(stamp(v.Since.Time), " (", v.Ago(), " ago)")
}

func (v view) Ago() phrase { return say(v.ago(v.Since.Time)) }

func (v view) ago(t time.Time) Part { return distance(t, v.now.Sub(t)) }

// Due is a time that may be still to come.
func (v view) Due() phrase {
	if left := v.Until.Sub(v.now); left > 0 {
		return say(stamp(v.Until.Time), " (in ", distance(v.Until.Time, left), ")")
	}
	return say(stamp(v.Until.Time))
}

// Quoted are words of others, Reasoned with a reason before them.
func (v view) Quoted() string   { return asSentence(v.Words) }
func (v view) Reasoned() string { return asSentence(strings.Trim(v.Reason+": "+v.Words, ": ")) }

// asSentence ends a text of others with a full stop, unless it ends like a sentence already.
func asSentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.HasSuffix(text, ".") || strings.HasSuffix(text, "!") || strings.HasSuffix(text, "?") {
		return text
	}
	return text + "."
}

// Subjects.

func (v view) isAbout() bool { return v.Subject.same(v.about) }

// TaskOfFramework is a Task where it is named for the first time.
func (v view) TaskOfFramework() phrase {
	return say("Task ", named(v.Subject), " of Framework ", v.framework)
}

// TheSubject is the Framework or a Task, CapitalSubject at the begin of a sentence.
func (v view) TheSubject() phrase { return v.subject("the") }

func (v view) CapitalSubject() phrase { return v.subject("The") }

func (v view) subject(article string) phrase {
	switch {
	case v.Subject.Kind == ofFramework:
		return say(article, " Framework")
	case v.isAbout():
		return say(article, " Task")
	}
	return say("Task ", named(v.Subject))
}

// TheTask and TheRole begin a sentence.
func (v view) TheTask() phrase {
	if v.isAbout() {
		return say("It")
	}
	return say("Task ", named(v.Subject))
}

func (v view) TheRole() string {
	if v.isAbout() {
		return "It"
	}
	return "Role " + v.Subject.Name
}

// TheAttempt begins a sentence about an attempt of the subject.
func (v view) TheAttempt() phrase {
	switch {
	case v.Subject.Kind == ofFramework:
		return say("The attempt")
	case v.isAbout():
		return say("Its attempt")
	}
	return say("Attempt ", *v.Attempt, " of Task ", named(v.Subject))
}

// OfOther names the subject of an attempt, unless it was asked about.
func (v view) OfOther() phrase {
	if v.isAbout() {
		return nil
	}
	return say(" of ", v.TheSubject())
}

// WhoWaits begins a sentence about what the Framework waits for.
func (v view) WhoWaits() string {
	switch {
	case v.about.Kind == ofFramework, v.isAbout(), v.about.Kind == ofRole && v.Subject.Role == v.about.Name:
		return "It"
	case v.about.Kind == ofRole:
		return "The Framework"
	}
	return "Its Framework"
}

// Numbers and states of Tasks.

func (v view) NumberOfTasks() string { return tasksNumber(*v.Tasks) }

// LimitOfTasks is the limit as a number of Tasks.
func (v view) LimitOfTasks() string { return tasksNumber(int(*v.Limit)) }

func tasksNumber(n int) string {
	if n == 1 {
		return "1 Task"
	}
	return fmt.Sprintf("%d Tasks", n)
}

// Several is a number of Tasks, and the verb that goes with it. SeveralOfRole names their role.
func (v view) Several(tasks int32) string { return several(tasks, "") }

func (v view) SeveralOfRole(tasks int32) string { return several(tasks, " of role "+v.Subject.Role) }

func several(tasks int32, of string) string {
	if tasks == 1 {
		return "1 Task" + of + " has"
	}
	return fmt.Sprintf("%d Tasks%s have", tasks, of)
}

// verbs say of one Task, and of several, how they stand.
var verbs = map[Standing][2]string{
	Running:   {"is running", "are running"},
	Starting:  {"is starting", "are starting"},
	InTurn:    {"waits for its turn", "wait for their turn"},
	Retrying:  {"waits to be retried", "wait to be retried"},
	Ending:    {"is ending", "are ending"},
	Removing:  {"is being removed", "are being removed"},
	Succeeded: {"has succeeded", "have succeeded"},
	Failed:    {"has failed", "have failed"},
	CutShort:  {"was cut short", "were cut short"},
}

// Verb is how a Task has ended.
func (v view) Verb() string { return verbs[Standing(v.Outcome)][0] }

// HowEnded is how the Framework has ended.
func (v view) HowEnded() string {
	switch v.Outcome {
	case outcomeSucceeded:
		return "has succeeded"
	case outcomeStopped:
		return "was stopped"
	case outcomeFailed:
		return "has failed"
	}
	return "has ended"
}

// States says how the Tasks of the Framework or of a role stand.
func (v view) States() string {
	all := 0
	var parts []string
	for _, s := range Standings() {
		n := v.Counts[s]
		all += n
		switch {
		case n == 1:
			parts = append(parts, "1 "+verbs[s][0])
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, verbs[s][1]))
		}
	}
	for s, n := range v.Counts {
		switch {
		case n != all:
		case n == 1:
			return "Its only Task " + verbs[s][0] + "."
		case n == 2:
			return "Both of its Tasks " + verbs[s][1] + "."
		default:
			return fmt.Sprintf("All of its %d Tasks %s.", n, verbs[s][1])
		}
	}
	if v.Subject.Kind == ofFramework {
		return fmt.Sprintf("Attempt %d has %d Tasks: %s.", *v.Attempt, all, listed(parts))
	}
	return listed(parts) + "."
}

// listed joins the parts of an enumeration, alternatives those of a choice.
func listed(parts []string) string       { return joined(parts, " and ") }
func alternatives(parts []string) string { return joined(parts, " or ") }

func joined(parts []string, last string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	n := len(parts) - 1
	return strings.Join(parts[:n], ", ") + last + parts[n]
}

// Place says where the Pod of an attempt is, as far as it is known; OnNode sets that off by a comma.
func (v view) Place() phrase {
	switch {
	case v.Node == "" && v.IP == "":
		return nil
	case v.Node == "":
		return say(" with IP address ", v.IP)
	case v.IP == "":
		return say(" on node ", onNode(v.Node))
	}
	return say(" on node ", onNode(v.Node), " (", v.IP, ")")
}

func (v view) OnNode() phrase {
	if place := v.Place(); place != nil {
		return say(",", place)
	}
	return nil
}

// TheNode is the node of an attempt.
func (v view) TheNode() phrase { return say(onNode(v.Node)) }

// LaterFailures follows after the first failure.
func (v view) LaterFailures() string {
	switch *v.Attempts {
	case 0:
		return ""
	case 1:
		return ", before 1 other failure"
	}
	return fmt.Sprintf(", before %d other failures", *v.Attempts)
}

// Awaited is what a role starts after, and how far that is.
func (v view) Awaited() string {
	var what []string
	for _, a := range v.Awaits {
		switch reaches := map[string]string{string(v1.StartAddressed): "has addresses", string(v1.StartReady): "is ready",
			string(v1.StartSucceeded): "has succeeded"}[a.When]; {
		case a.Framework != "" && a.When == string(v1.StartCompleted):
			what = append(what, fmt.Sprintf("Framework %s has completed", a.Framework))
		case a.Framework != "":
			what = append(what, fmt.Sprintf("Framework %s has succeeded", a.Framework))
		case a.When == created:
			what = append(what, fmt.Sprintf("role %s gets its own", a.Role))
		case reaches == "":
			what = append(what, fmt.Sprintf("role %s runs (%d of %s)", a.Role, a.Reached, tasksNumber(a.Tasks)))
		default:
			what = append(what, fmt.Sprintf("role %s %s (%d of %s)", a.Role, reaches, a.Reached, tasksNumber(a.Tasks)))
		}
	}
	return strings.Join(what, " and ")
}

// What constants mean.

func (v view) InvalidMeans() string {
	return cmp.Or(reason.Event(v.Reason).Row().Means, "The stored Framework is invalid for the controller.")
}

func (v view) InvalidEnds() string        { return reason.Event(v.Reason).Row().Ends }
func (v view) WaitingMeans() string       { return WaitingWord(v.Reason).Means }
func (v view) WaitingEnds() string        { return WaitingWord(v.Reason).Ends }
func (v view) ContainersLeftEnds() string { return WaitingWord(string(reason.ContainersLeft)).Ends }
func (v view) WarningMeans() string       { return reason.Event(v.Reason).Row().Means }
func (v view) ContainerMeans() string     { return containerWords[v.Reason] }
func (v view) DisruptionMeans() string    { return disruptionWords[v.Rule] }
func (v view) CodeMeans() string          { return CodeWord(v.ended()).Means }
func (v view) CodeChange() string         { return CodeWord(v.ended()).Change }
func (v view) CauseMeans() string         { return reason.CauseOf(v.Cause).Row().Means }

// ExitMeans is the reason with which a container ended, or what its exit code means, in brackets.
func (v view) ExitMeans() string {
	means := v.Reason
	if means == "" || means == "Error" {
		means = exitWord(*v.Code, v.Signal)
	}
	if means == "" {
		return ""
	}
	return " (" + means + ")"
}

// CodeAndPhrase are the code of a failure and its name, if it has one.
func (v view) CodeAndPhrase() string {
	if v.Phrase == "" {
		return fmt.Sprint(*v.Code)
	}
	return fmt.Sprintf("%d, %s", *v.Code, v.Phrase)
}

// KubeletMeans follows after what the kubelet says itself.
func (v view) KubeletMeans() string {
	if word := kubeletWords[v.Reason]; word != "" {
		return " " + word
	}
	return ""
}

// EndedHow is the verb of an end with a code.
func (v view) EndedHow() string {
	e, predefined := completion.EntryOf(v.ended())
	switch {
	case v.Type == string(v1.CompletionSucceeded), predefined && e.Code == completion.CodeSucceeded:
		return "succeeded"
	case predefined && e.EndedByOthers:
		return "was ended"
	}
	return "failed"
}

// CauseFacts are the cause of a deletion, with code and row.
func (v view) CauseFacts() string {
	d := reason.Deletion{Cause: reason.CauseOf(v.Cause), Row: string(v.Row), Ended: v.Code != nil}
	if d.Ended {
		d.Code = *v.Code
	}
	return d.Facts()
}

// mostTasksNamed bounds how many Tasks of one cause are named.
const mostTasksNamed = 3

// DeletedByCause lists causes, with the Tasks of the Pods that were deleted.
func (v view) DeletedByCause() (p phrase) {
	for i, d := range v.Deleted {
		before := "cause "
		if i > 0 {
			before = ", cause "
		}
		p = say(p, before, d.Cause, " (")
		switch n := len(d.Tasks); {
		case n > mostTasksNamed:
			p = say(p, fmt.Sprintf("%s and %d more, ", strings.Join(d.Tasks[:mostTasksNamed], ", "), n-mostTasksNamed))
		case n > 0:
			p = say(p, listed(d.Tasks), ", ")
		}
		p = say(p, v.ago(d.Since.Time), " ago)")
	}
	return p
}

func (v view) ThePlugin() string {
	if v.Version == "" {
		return "Plugin " + v.Plugin
	}
	return "Plugin " + v.Plugin + " " + v.Version
}

func (v view) ByRule() string {
	if v.Rule == "" {
		return ""
	}
	if strings.Contains(v.Rule, `"`) { // it quotes something itself
		return ", by its rule " + v.Rule
	}
	return fmt.Sprintf(", by its rule %q", v.Rule)
}

// HowStrictly a node is avoided, and WhoAvoids it.
func (v view) HowStrictly() string {
	switch {
	case v.Relaxed:
		return "No other node was found for one of these Pods, so the node is now only avoided where possible."
	case v.Mode == string(v1.AvoidRequire):
		return "Pods are never placed there."
	}
	return "If there is no other node, it is used anyway."
}

func (v view) WhoAvoids() string {
	switch {
	case v.Plugin != "":
		return "plugin " + v.Plugin
	case v.Role != "":
		return "avoidNodes in task.retryPolicy of role " + v.Role
	}
	return "avoidNodes in retryPolicy of the Framework"
}

// Retries.

// Number is that of Tasks, nodes or attempts.
func (v view) Number() int { return *cmp.Or(v.Tasks, v.Nodes, v.Attempts) }
