package rbac

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The rules for keys suffice to create and to delete them, and no verb is spare. Without them neither is possible.
func TestRulesForKeys(t *testing.T) {
	granted := role{name: name + "-ssh"}
	awaitPermission(t, permission{"", "secrets", "get"}, false)
	apply(t, "ssh/secrets.yaml")
	all := permissions(granted.rules(t))
	for _, p := range all {
		awaitPermission(t, p, true)
	}
	for _, p := range []permission{{"", "secrets", "list"}, {"", "secrets", "watch"}, {"", "secrets", "update"}} {
		if may(t, t.Context(), controllerUser, "any", p) {
			t.Errorf("it may %s", p)
		}
	}
	t.Run("whole", func(t *testing.T) {
		if refused, err := tellOfKeys(t); err != nil || len(refused) > 0 {
			t.Errorf("got %v, and refused were %v", err, refused)
		}
	})
	for _, p := range all {
		t.Run("without "+p.verb, func(t *testing.T) {
			takeAway(t, granted, p)
			refused, err := tellOfKeys(t)
			if !slices.ContainsFunc(refused, func(r request) bool { return r.permission() == p }) {
				t.Errorf("it was not refused to %s; the story ended with %v, and refusals were %v", p, err, refused)
			}
		})
	}
}

// tellOfKeys lets a Framework get keys, and give them back. It returns the requests that the controller was refused meanwhile.
func tellOfKeys(t *testing.T) (refused []request, err error) {
	t.Helper()
	s := newBareStory(t)
	secrets := core.CoreV1().Secrets(s.namespace)
	s.create(t, "keyed", `{ssh: {mountPath: /root/.ssh}, taskRoles: []}`)
	s.then(func(ctx context.Context) error {
		_, err := secrets.Get(ctx, "keyed-ssh", metav1.GetOptions{})
		return err
	})
	s.then(func(ctx context.Context) error { return s.patch(ctx, "keyed", `{"spec": {"ssh": null}}`) })
	s.then(func(ctx context.Context) error {
		_, err := secrets.Get(ctx, "keyed-ssh", metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("the keys are still there"))
	})
	from := audit.Size(t)
	startController(t, withoutWatchList)
	err = s.tell(t.Context(), func() bool {
		refused = refusals(requestsAfter(t, from), s.namespace)
		return len(refused) > 0
	})
	return refused, err
}

// A user who applies a Framework with names that DNS cannot have gets a warning, and nothing is refused.
func TestNamesAreWarnedOf(t *testing.T) {
	const roles = `taskRoles: [{name: ROLE, taskNumber: 10, task: {pod: {spec: {containers: [{name: main, image: none}]}}}}]`
	long := strings.Repeat("r", 57)
	for _, test := range []struct{ name, spec, warning string }{
		{"1st", `{network: {dns: true}, ` + strings.Replace(roles, "ROLE", "a", 1) + `}`, "does not begin with a letter"},
		{"warned", `{network: {dns: true}, ` + strings.Replace(roles, "ROLE", long, 1) + `}`, "spec.taskRoles[" + long + "]"},
		{"1st", `{` + strings.Replace(roles, "ROLE", "a", 1) + `}`, ""},
		{"warned", `{network: {dns: false}, ` + strings.Replace(roles, "ROLE", long, 1) + `}`, ""},
		{"fine", `{network: {dns: true}, ` + strings.Replace(roles, "ROLE", "a", 1) + `}`, ""},
	} {
		file := t.TempDir() + "/framework.yaml"
		write(t, file, "apiVersion: frameworkcontroller.microsoft.com/v1\nkind: Framework\nmetadata: {name: \""+test.name+"\", namespace: default}\nspec: "+test.spec+"\n")
		eventually(t, func(ctx context.Context) error {
			out, err := kube.Command(ctx, kube.Kubectl, "apply", "--dry-run=server", "-f", file).CombinedOutput()
			require.NoError(t, err, "%s", out)
			if warned := strings.Contains(string(out), "frameworkcontroller-names"); warned != (test.warning != "") || !strings.Contains(string(out), test.warning) {
				return errors.New(test.name + ": " + string(out))
			}
			return nil
		})
	}
}
