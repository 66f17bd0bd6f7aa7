package security

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// secret is a value that only the author of a Framework, and its containers, should read.
const secret = "hunter2-is-a-secret"

// withSecret are templates that have the secret in the environment of a container. Most of them are invalid in some way, so that the API
// server, or the controller, reports something about them.
var withSecret = map[string]string{
	"succeeds":     secretTemplate(`{name: PASSWORD, value: `+secret+`}`, ``, "0"),
	"fails":        secretTemplate(`{name: PASSWORD, value: `+secret+`}`, ``, "1"),
	"unknownfield": secretTemplate(`{name: PASSWORD, value: `+secret+`, valu: `+secret+`}`, ``, "0"),
	"badname":      secretTemplate(`{name: "PASS=WORD", value: `+secret+`}`, ``, "0"),
	"nameless":     secretTemplate(`{value: `+secret+`}`, ``, "0"),
	"twosources":   secretTemplate(`{name: PASSWORD, value: `+secret+`, valueFrom: {secretKeyRef: {name: s, key: k}}}`, ``, "0"),
	"objectvalue":  secretTemplate(`{name: PASSWORD, value: {password: `+secret+`}}`, ``, "0"),
	"textforenv":   `{spec: {containers: [{name: main, image: none, env: ` + secret + `}]}}`,
	"badpolicy":    secretTemplate(`{name: PASSWORD, value: `+secret+`}`, `imagePullPolicy: Sometimes,`, "0"),
	"badresource":  secretTemplate(`{name: PASSWORD, value: `+secret+`}`, `resources: {limits: {cpu: much}},`, "0"),
	"badport":      secretTemplate(`{name: PASSWORD, value: `+secret+`}`, `ports: [{containerPort: 99999}],`, "0"),
}

// withoutAccount has a template whose ServiceAccount does not exist, so that the Framework waits.
var withoutAccount = strings.Replace(withSecret["succeeds"], "spec: {", "spec: {serviceAccountName: nobody, ", 1)

func secretTemplate(env, field, code string) string {
	return strings.Replace(ending(code), "{name: main,", "{name: main, "+field+" env: ["+env+"],", 1)
}

// No part of a template's environment is in the log, in an event, or in a status, however its Framework ends. That holds at the default
// level, and with the history switched off.
func TestSecretsAreNotTold(t *testing.T) {
	p, a := startController(t, everyKind+quiet), newAuthor(t, "secret")
	letThemEnd(a)
	if log := p.Text(); strings.Contains(log, secret) {
		t.Errorf("the log has it: %s", lineWith(log, secret))
	}
	if events := a.events(); strings.Contains(events, secret) {
		t.Errorf("an event has it: %s", lineWith(events, secret))
	}
	for name := range withSecret {
		f, err := a.frameworks.Get(t.Context(), name, metav1.GetOptions{})
		require.NoError(t, err)
		if status := string(jsonOf(t, f.Status)); strings.Contains(status, secret) {
			t.Errorf("the status of %s has it: %s", name, status)
		}
	}
}

// With the history switched on, which is the default, the log does contain it. So the test above would find it.
func TestHistoryTellsAll(t *testing.T) {
	p, a := startController(t, `{}`), newAuthor(t, "history")
	letThemEnd(a)
	require.NoError(t, a.frameworks.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{}))
	eventually(t, "the history has the environment", func(context.Context) error { return contains(p.Text(), secret) })
}

// letThemEnd creates all Frameworks with the secret, and two that are held up, and waits for their outcomes.
func letThemEnd(a *author) {
	a.t.Helper()
	for name, template := range withSecret {
		a.create(name, oneTask(template))
	}
	for name := range withSecret {
		a.awaitCondition(name, v1.ConditionCompleted)
	}
	a.create("noaccount", oneTask(withoutAccount))
	a.awaitCondition("noaccount", v1.ConditionWaiting)
	quota := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "none"}, Spec: corev1.ResourceQuotaSpec{
		Hard: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("0")}}}
	if _, err := admin.CoreV1().ResourceQuotas(a.namespace).Create(a.t.Context(), quota, metav1.CreateOptions{}); err != nil {
		a.t.Fatal(err)
	}
	a.create("waits", oneTask(withSecret["succeeds"]))
	a.awaitCondition("waits", v1.ConditionWaiting)
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
