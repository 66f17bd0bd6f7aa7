package api

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func TestKubectlGet(t *testing.T) {
	storeCompleted(t, "columns")
	tests := []struct {
		what          string
		args          []string
		header, value string
	}{
		{
			"short name", []string{"get", "fw", "columns"},
			"NAME STATE ATTEMPT RUNNING SUCCEEDED FAILED TOTAL AGE CUTSHORT",
			`columns Completed 2 0 3 2 5 \d+s 1`,
		},
		{
			"wide", []string{"get", "frameworks", "columns", "-o", "wide"},
			"NAME STATE ATTEMPT RUNNING SUCCEEDED FAILED TOTAL AGE CODE REASON SUSPENDED AVOIDED WAITING CUTSHORT WAITINGTASKS",
			`columns Completed 2 0 3 2 5 \d+s -1200 SomePhrase no node was found 1`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			lines := strings.Split(kubectl(t, tt.args...), "\n")
			if got := strings.Join(strings.Fields(lines[0]), " "); got != tt.header {
				t.Errorf("header: got %q, want %q", got, tt.header)
			}
			got := strings.Join(strings.Fields(lines[1]), " ")
			if !regexp.MustCompile("^" + tt.value + "$").MatchString(got) {
				t.Errorf("line: got %q, want %q", got, tt.value)
			}
		})
	}
}

func TestKubectlWait(t *testing.T) {
	storeCompleted(t, "waited")
	kubectl(t, "wait", "fw/waited", "--for=condition=Completed", "--timeout=20s")
}

func storeCompleted(t *testing.T, name string) {
	t.Helper()
	f, err := frameworks.Create(t.Context(), &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	require.NoError(t, err)
	f.Status = someStatus()
	f.Status.State = v1.Completed
	f.Status.Tasks = &v1.TaskCounts{Total: 5, Succeeded: 3, Failed: 2, CutShort: 1}
	f.Status.AttemptStatus.CompletionStatus = &v1.FrameworkAttemptCompletionStatus{
		CompletionStatus: v1.CompletionStatus{Code: -1200, Phrase: "SomePhrase"},
	}
	f.Status.Conditions[0].Type = v1.ConditionCompleted
	f.Status.Conditions = append(f.Status.Conditions, metav1.Condition{Type: v1.ConditionWaiting, Status: metav1.ConditionTrue,
		Reason: "Unschedulable", Message: "no node was found", LastTransitionTime: f.Status.StartTime})
	if _, err := frameworks.UpdateStatus(t.Context(), f, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestKubectlExplain(t *testing.T) {
	tests := []struct {
		path string
		want []string
	}{
		{"framework", []string{"runs an application", "spec", "-required-"}},
		{"fw.spec", []string{"executionType", "enum: Create, Start, Stop", "Free text"}},
		{"framework.spec.taskRoles", []string{"The roles of the application", "name", "-required-", "Number of Tasks of the role"}},
		{"framework.spec.taskRoles.task.pod", []string{"{{FC_TASK_INDEX}}"}},
		{"framework.status.attemptStatus", []string{"The current attempt"}},
	}
	for _, tt := range tests {
		t.Run(tt.path, func(t *testing.T) {
			// The API server publishes the help texts of a new CRD with a delay.
			err := eventually(t.Context(), func(ctx context.Context) error {
				text, err := tryKubectl(ctx, "explain", tt.path)
				if err != nil {
					return err
				}
				return missing(text, tt.want)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// Help texts are written for users, who know neither our Go types nor our specification.
func TestHelpTextsHaveNoJargon(t *testing.T) {
	var text string
	err := eventually(t.Context(), func(ctx context.Context) (err error) {
		text, err = tryKubectl(ctx, "explain", "framework.spec", "--recursive")
		return err
	})
	require.NoError(t, err)
	text += kubectl(t, "explain", "framework.spec.taskRoles") + kubectl(t, "explain", "framework.status")
	jargon := regexp.MustCompile(`\b(contract|decisions|nil|struct|pointer|slice|omitempty|\w+Spec)\b`)
	if found := jargon.FindAllString(text, -1); found != nil {
		t.Errorf("found %q in\n%s", found, text)
	}
}

// The manifest is shipped for kubectl too. Client-side apply stores a copy in an annotation, whose size is limited.
func TestKubectlApplyOfTheManifest(t *testing.T) {
	kubectl(t, "apply", "-f", manifest)
	if out := kubectl(t, "apply", "-f", manifest); !strings.Contains(out, "unchanged") {
		t.Errorf("applied again: %s", out)
	}
	kubectl(t, "wait", "crd/"+v1.CRDName, "--for=condition=Established", "--timeout=20s")
	crd, err := crds.Get(t.Context(), v1.CRDName, metav1.GetOptions{})
	require.NoError(t, err)
	conditions := fmt.Sprint(crd.Object["status"].(map[string]any)["conditions"])
	if strings.Contains(conditions, "NonStructuralSchema") {
		t.Errorf("conditions: %s", conditions)
	}
}

func kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := tryKubectl(t.Context(), args...)
	require.NoError(t, err)
	return out
}

// tryKubectl keeps kubectl's cache with the cluster: another cluster may get the same address one day.
func tryKubectl(ctx context.Context, args ...string) (string, error) {
	args = append(args, "--cache-dir="+kube.Dir+"/kubectl-cache")
	out, err := kube.Command(ctx, kube.Kubectl, args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), nil
}

func missing(text string, want []string) error {
	for _, w := range want {
		if !strings.Contains(text, w) {
			return fmt.Errorf("%q is not in\n%s", w, text)
		}
	}
	return nil
}
