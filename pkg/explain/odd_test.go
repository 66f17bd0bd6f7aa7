package explain

import (
	"math/rand"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/randfill"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var states = []v1.State{v1.AttemptCreationPending, v1.AttemptCreationRequested, v1.AttemptPreparing, v1.AttemptRunning,
	v1.AttemptDeletionPending, v1.AttemptDeletionRequested, v1.AttemptDeleting, v1.AttemptCompleted, v1.Completed, "", "Odd"}

// An object of the original controller has neither conditions nor counts, and is explained all the same, whatever it is doing.
func TestObjectsOfTheOriginal(t *testing.T) {
	for _, state := range states {
		f := &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Namespace: "default"}, Status: &v1.FrameworkStatus{State: state}}
		f.Status.AttemptStatus.TaskRoleStatuses = []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{{State: state}}}}
		requireAnswers(t, Facts{Framework: f, Now: time.Now()})
	}
}

// Whatever is stored, there is an answer, and nothing panics.
func TestOddObjects(t *testing.T) {
	seed := time.Now().UnixNano()
	filler := randfill.NewWithSeed(seed).NilChance(0.3).NumElements(0, 3).MaxDepth(20).Funcs(
		func(s *v1.State, c randfill.Continue) { *s = states[c.Intn(len(states))] },
		func(raw *v1.PodTemplate, _ randfill.Continue) {},
	)
	random := rand.New(rand.NewSource(seed))
	for range 500 {
		f := &v1.Framework{}
		filler.Fill(f)
		if random.Intn(2) == 0 && f.Status != nil {
			f.Spec.ManagedBy, f.Status.Conditions = "", nil
		}
		facts := Facts{Framework: f, Now: time.Now()}
		var pod corev1.Pod
		filler.Fill(&pod.Status)
		for _, name := range Pods(f) {
			pod.Name = name
			facts.Pods = append(facts.Pods, pod)
		}
		var e corev1.Event
		filler.Fill(&e)
		facts.Events = append(facts.Events, e)
		if !requireAnswers(t, facts) {
			t.Fatalf("with seed %d", seed)
		}
	}
}

// misprinted matches the output for an argument that is missing or does not fit.
var misprinted = regexp.MustCompile(`%![a-z]\(|<no value>|<nil>|template: `)

func requireAnswers(t *testing.T, f Facts) (ok bool) {
	t.Helper()
	answers := []Answer{Framework(f)}
	if f.Framework.Status != nil {
		for _, role := range f.Framework.Status.AttemptStatus.TaskRoleStatuses {
			answers = append(answers, Role(f, role.Name))
			for i := range role.TaskStatuses {
				answers = append(answers, Task(f, role.Name, int32(i)))
			}
		}
	}
	for _, a := range answers {
		requireArguments(t, a)
		if len(a.Lines()) == 0 || misprinted.MatchString(strings.Join(a.Lines(), " ")) {
			t.Errorf("%+v is explained with %q", f.Framework.Status, a.Lines())
			return false
		}
	}
	return true
}

// An answer does not change its facts, and the same facts give the same answer.
func TestAnswersAreTheSameAgain(t *testing.T) {
	f := &v1.Framework{}
	randfill.NewWithSeed(1).NilChance(0.1).NumElements(1, 3).MaxDepth(20).Funcs(func(*v1.PodTemplate, randfill.Continue) {}).Fill(f)
	f.Spec.ManagedBy = ""
	before := f.DeepCopy()
	facts := Facts{Framework: f, Now: time.Now()}
	first, second := Framework(facts), Framework(facts)
	if strings.Join(first.Lines(), "\n") != strings.Join(second.Lines(), "\n") || len(first.Next) != len(second.Next) {
		t.Errorf("got %q and then %q", first.Lines(), second.Lines())
	}
	if !reflect.DeepEqual(before, f) {
		t.Error("the Framework was changed")
	}
}
