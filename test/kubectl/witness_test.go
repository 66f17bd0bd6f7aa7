package kubectl

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// witness is the variable that makes the test's own binary a classifier which wants the events of Pods. It judges Pods of Frameworks that
// name a reason in its parameters, with the code in the variable, if the Pod has a Warning with that reason.
const witness = "WITNESS"

// eventsLeftOut is the phrase of its verdict if there was no time to read events, for Frameworks that want to know.
const eventsLeftOut = "EventsLeftOut"

// serveWitness serves the classifier, if the process is started as one.
func serveWitness() {
	var code int32
	if _, err := fmt.Sscan(os.Getenv(witness), &code); err != nil {
		return
	}
	plugin.Serve(plugin.Plugin{Version: "0.2", WantsEvents: true, FailureClassifier: plugin.ClassifierFunc(
		func(_ context.Context, pod *pluginpb.FailedPod) (*pluginpb.Verdict, error) {
			parameters := pod.GetParameters().GetFields()
			reason := parameters["reason"].GetStringValue()
			if pod.GetEventsLeftOut() != "" && parameters["tells"].GetBoolValue() {
				return plugin.Verdict(code, eventsLeftOut, "Transient"), nil
			}
			for _, e := range pod.GetEvents() {
				if e.GetReason() == reason && e.GetType() == corev1.EventTypeWarning {
					v := plugin.Verdict(code, reason, "Transient")
					v.Rule = e.GetSource() + ": " + e.GetMessage()
					return v, nil
				}
			}
			return nil, nil
		})})
	os.Exit(0)
}

// A classifier that wants events judges by the last events of a failed Pod. A classifier in shadow is asked as well, and decides nothing:
// the metric and `plugins` report how its verdict differs. The controller leaves out events that it cannot read within a second, so on a
// busy machine it takes more than one Pod.
func TestEventsAndShadow(t *testing.T) {
	t.Parallel()
	s := newScene(t, "witnessed")
	differs := 0
	for round := range 5 {
		seen, unseen := fmt.Sprintf("seen%d", round), fmt.Sprintf("unseen%d", round)
		s.failAfterWarning(seen, unseen)
		if c := s.judged(unseen); c.Code != 7 {
			t.Errorf("the plugin in shadow has decided: %+v", c)
		}
		c := s.judged(seen)
		if c.Phrase == eventsLeftOut {
			continue
		}
		if c.Code != 230 || c.Phrase != "FailedMount" || c.Type.Attributes[0] != v1.AttributeTransient {
			t.Errorf("by its events it is %+v", c)
		}
		differs++
		if s.showsShadow(round+1, differs) {
			return
		}
	}
	t.Errorf("no row or sentence about the shadow in\n%s", kubectl(t, "plugins", "-n", s.namespace, "--metrics="+metrics).out)
}

// failAfterWarning creates two Frameworks whose Pods fail after a warning. A plugin that decides is told of the first one only.
func (s *scene) failAfterWarning(seen, unseen string) {
	s.Helper()
	const parameters = "parameters: {reason: FailedMount}"
	s.create(seen, specOf("plugins: [{name: witness, parameters: {reason: FailedMount, tells: true}}, {name: shade, "+parameters+"}]", role{}))
	s.create(unseen, specOf("plugins: [{name: shade, "+parameters+"}]", role{}))
	for _, name := range []string{seen, unseen} {
		s.until(name, "running", runs)
		s.warn(name+"-worker-0", "FailedMount", "volume data is not there")
		s.writePod(name+"-worker-0", func(status *corev1.PodStatus) {
			status.Phase = corev1.PodFailed
			status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", Image: "app",
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 7}}}}
		})
	}
}

// judged returns how the Task of a Framework has ended.
func (s *scene) judged(name string) v1.CompletionStatus {
	s.Helper()
	f := s.until(name, "completed", completed)
	return f.Status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses[0].AttemptStatus.CompletionStatus.CompletionStatus
}

// showsShadow reports whether plugins shows within seconds that the shadow, which is asked later, has another opinion on that many of the
// judged Frameworks, with another code than the plugin that decides, and on some of as many others, with another type than the built-in
// rule. Other tests have failures on which it has no opinion.
func (s *scene) showsShadow(judged, differs int) bool {
	s.Helper()
	wanted := []*regexp.Regexp{
		regexp.MustCompile(fmt.Sprintf(`(?m)^Plugin shade in shadow, of \d+ failures: [1-%d] with another type, %d with another code[,.]`, judged, differs)),
		regexp.MustCompile(fmt.Sprintf(`(?m)^witness +FailureClassifier +0\.2 +\w+ +[1-9]\d* +0 +0 +%d +seen0(,seen\d){%d}$`, judged, judged-1)),
		regexp.MustCompile(`(?m)^shade +FailureClassifier +\w+ +[1-9]\d* +0 +0 +0 *$`),
	}
	for deadline := time.Now().Add(machine.Within(15 * time.Second)); time.Now().Before(deadline); time.Sleep(time.Second) {
		got := kubectl(s.T, "plugins", "-n", s.namespace, "--metrics="+metrics).out
		if !slices.ContainsFunc(wanted, func(each *regexp.Regexp) bool { return !each.MatchString(got) }) {
			return true
		}
	}
	return false
}

// warn reports a Warning about a Pod, as its node would.
func (s *scene) warn(pod, reason, message string) {
	s.Helper()
	p, err := core.CoreV1().Pods(s.namespace).Get(s.Context(), pod, metav1.GetOptions{})
	require.NoError(s, err)
	_, err = core.CoreV1().Events(s.namespace).Create(s.Context(), &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{GenerateName: pod + "."},
		InvolvedObject: corev1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: s.namespace, Name: pod, UID: p.UID},
		Type:           corev1.EventTypeWarning, Reason: reason, Message: message, Source: corev1.EventSource{Component: "kubelet"},
		LastTimestamp: metav1.Now(),
	}, metav1.CreateOptions{})
	require.NoError(s, err)
}
