package portal

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned/fake"
	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var job = Job{Owner: "ada", Key: "run-17", Image: "registry.example.com/train:1", Workers: 8, Retries: 2}

var resource = schema.GroupResource{Group: v1.SchemeGroupVersion.Group, Resource: "frameworks"}

func newPortal() (*Portal, *fake.Clientset) {
	clientset := fake.NewClientset()
	p := New(clientset, "team-a")
	p.firstPause = time.Millisecond
	return p, clientset
}

// answers has the first requests of a kind answered with errors, before or after they were carried out.
func answers(clientset *fake.Clientset, verb string, carriedOut bool, errs ...error) {
	tracker := clientset.Tracker()
	clientset.PrependReactor(verb, "frameworks", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if len(errs) == 0 {
			return false, nil, nil
		}
		err := errs[0]
		errs = errs[1:]
		if carriedOut {
			create := action.(clienttesting.CreateAction)
			_ = tracker.Create(action.GetResource(), create.GetObject(), action.GetNamespace()) // it may be there already
		}
		return true, nil, err
	})
}

func TestSubmitTwiceIsOneFramework(t *testing.T) {
	p, clientset := newPortal()
	first, err := p.Submit(t.Context(), job)
	require.NoError(t, err)
	second, err := p.Submit(t.Context(), job)
	require.NoError(t, err)
	require.Equal(t, first.Name, second.Name)
	all, err := clientset.FrameworkControllerV1().Frameworks("").List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	require.Len(t, all.Items, 1)
}

func TestSubmitRepeatsWhatMayPass(t *testing.T) {
	for name, err := range map[string]error{
		"too busy":          apierrors.NewTooManyRequests("later", 0),
		"unavailable":       apierrors.NewServiceUnavailable("no leader"),
		"internal error":    apierrors.NewInternalError(errors.New("a webhook does not answer")),
		"timeout":           apierrors.NewServerTimeout(resource, "create", 0),
		"a lost connection": errors.New("unexpected EOF"),
	} {
		for _, carriedOut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, carried out %v", name, carriedOut), func(t *testing.T) {
				p, clientset := newPortal()
				answers(clientset, "create", carriedOut, err, err, err)
				f, err := p.Submit(t.Context(), job)
				require.NoError(t, err)
				require.Equal(t, NameOf("ada", "run-17"), f.Name)
			})
		}
	}
}

func TestSubmitReturnsWhatIsFinal(t *testing.T) {
	for name, err := range map[string]error{
		"forbidden": apierrors.NewForbidden(resource, "x", errors.New("exceeded quota")),
		"invalid":   apierrors.NewInvalid(schema.GroupKind{Kind: "Framework"}, "x", nil),
		"bad":       apierrors.NewBadRequest("unknown field"),
	} {
		t.Run(name, func(t *testing.T) {
			p, clientset := newPortal()
			answers(clientset, "create", false, err)
			_, got := p.Submit(t.Context(), job)
			require.ErrorIs(t, got, err)
		})
	}
}

func TestSubmitOfAnotherJobWithTheKey(t *testing.T) {
	p, _ := newPortal()
	_, err := p.Submit(t.Context(), job)
	require.NoError(t, err)
	other := job
	other.Workers = 9
	_, err = p.Submit(t.Context(), other)
	require.ErrorIs(t, err, ErrOtherJob)
}

func TestSubmitWaitsForADeletion(t *testing.T) {
	p, clientset := newPortal()
	f, err := frameworkOf(job)
	require.NoError(t, err)
	f.Namespace, f.DeletionTimestamp = "team-a", &metav1.Time{Time: time.Now()}
	require.NoError(t, clientset.Tracker().Add(f))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = p.Submit(ctx, job)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, err, errLater)
	require.NoError(t, clientset.FrameworkControllerV1().Frameworks("team-a").Delete(t.Context(), f.Name, metav1.DeleteOptions{}))
	f, err = p.Submit(t.Context(), job)
	require.NoError(t, err)
	require.Nil(t, f.DeletionTimestamp)
}

func TestNamesAreValid(t *testing.T) {
	names := map[string]bool{}
	for _, owner := range []string{"ada", "Ada", ""} {
		for _, key := range []string{"", "1", "a/b", "\x00", "ä"} {
			names[NameOf(owner, key)] = true
			require.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9]{20}$`), NameOf(owner, key))
		}
	}
	require.Len(t, names, 15)
	require.NotEqual(t, NameOf("a", "b"), NameOf("ab", ""))
}

// viewCase is one of ../testdata/views.json, which the wrapper in Python has to agree with, too.
type viewCase struct {
	Case      string
	Framework v1.Framework
	View      View
	Final     bool
}

func TestViews(t *testing.T) {
	text, err := os.ReadFile("../testdata/views.json")
	require.NoError(t, err)
	var cases []viewCase
	require.NoError(t, json.Unmarshal(text, &cases))
	for _, c := range cases {
		t.Run(c.Case, func(t *testing.T) {
			got := ViewOf(&c.Framework)
			require.Equal(t, c.View, got)
			require.Equal(t, c.Final, got.Final())
			slimmed, err := slim(c.Framework.DeepCopy())
			require.NoError(t, err)
			require.Equal(t, got, ViewOf(slimmed.(*v1.Framework)), "of what the cache keeps")
		})
	}
}

func TestWatch(t *testing.T) {
	p, clientset := newPortal()
	ctx, cancel := context.WithCancel(t.Context())
	seen, lost, ended := make(chan View, 100), make(chan string, 1), make(chan error, 1)
	f, err := p.Submit(ctx, job)
	require.NoError(t, err)
	go func() { ended <- p.Watch(ctx, func(v View) { seen <- v }, func(name string) { lost <- name }) }()
	require.Equal(t, View{Name: f.Name, Phase: Queued}, <-seen)

	frameworks := clientset.FrameworkControllerV1().Frameworks("team-a")
	f.Status = &v1.FrameworkStatus{State: v1.AttemptRunning, Tasks: &v1.TaskCounts{Total: 8, Running: 8}}
	_, err = frameworks.UpdateStatus(ctx, f, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.Equal(t, View{Name: f.Name, Phase: Running, Running: 8, Total: 8}, <-seen)

	f.Annotations["other"] = "change" // that no view shows
	_, err = frameworks.Update(ctx, f, metav1.UpdateOptions{})
	require.NoError(t, err)
	require.NoError(t, frameworks.Delete(ctx, f.Name, metav1.DeleteOptions{}))
	require.Equal(t, f.Name, <-lost)
	require.Empty(t, seen)
	cancel()
	require.NoError(t, <-ended)
}

func TestTasks(t *testing.T) {
	roles := []v1.TaskRoleStatus{{Name: "worker", TaskStatuses: []v1.TaskStatus{{Index: 0}, {Index: 1}}}}
	text, err := json.Marshal(roles)
	require.NoError(t, err)
	var packed bytes.Buffer
	for _, part := range [][]byte{text[:10], text[10:]} { // several members, as a gzip may have
		w := gzip.NewWriter(&packed)
		_, err = w.Write(part)
		require.NoError(t, err)
		require.NoError(t, w.Close())
	}
	f := &v1.Framework{}
	got, err := TasksOf(f)
	require.NoError(t, err)
	require.Empty(t, got)
	f.Status = &v1.FrameworkStatus{AttemptStatus: v1.FrameworkAttemptStatus{TaskRoleStatuses: roles}}
	got, err = TasksOf(f)
	require.NoError(t, err)
	require.Equal(t, roles, got)
	f.Status.AttemptStatus.TaskRoleStatuses, f.Status.AttemptStatus.TaskRoleStatusesCompressed = nil, packed.Bytes()
	got, err = TasksOf(f)
	require.NoError(t, err)
	require.Len(t, got[0].TaskStatuses, 2)
}

// The wrapper in Python has tests of its own, with the same views.
func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("skipping: needs Python: ", err)
	}
	cmd := exec.Command(python, "-B", "test_portal.py")
	cmd.Dir = "../python"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// The page for authors of platforms shows this code as it is.
func TestPageShowsThisCode(t *testing.T) {
	var sources string
	for _, file := range []string{"submit.go", "watch.go", "view.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		sources += string(text)
	}
	blocks := page.Blocks(page.Read(t, "../../../docs/tasks/build-a-platform.md"), "go")
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		require.Contains(t, sources, block.Text)
	}
}
