package controller

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apitest"
)

func withDNS(s *v1.FrameworkSpec)  { s.Network = &v1.NetworkSpec{DNS: true} }
func withKeys(s *v1.FrameworkSpec) { s.SSH = &v1.SSHSpec{MountPath: "/root/.ssh"} }

// stranger is an object that belongs to nobody here.
func stranger(name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetName(name)
	return o
}

// uidOf returns the UID of an object; empty if it does not exist.
func (w *world) uidOf(resource, name string) types.UID {
	if o := w.Get(resource, name); o != nil {
		return o.GetUID()
	}
	return ""
}

// remade waits until the name belongs to another object than before.
func (w *world) remade(resource, name string, before types.UID) {
	w.t.Helper()
	w.eventually(resource+" "+name+" is made again", func() bool { return w.uidOf(resource, name) != "" && w.uidOf(resource, name) != before })
}

// waitsFor waits until the condition Waiting contains all texts.
func (w *world) waitsFor(name, reason string, texts ...string) {
	w.t.Helper()
	w.conditionBecomes(name, v1.ConditionWaiting, "True because "+reason)
	message := waitingMessage(w.status(name))
	for _, text := range texts {
		if !strings.Contains(message, text) {
			w.t.Errorf("it waits for %q, which does not say %q", message, text)
		}
	}
}

func waitingMessage(s *v1.FrameworkStatus) string {
	for _, c := range s.Conditions {
		if c.Type == v1.ConditionWaiting {
			return c.Message
		}
	}
	return ""
}

// A Framework without names and keys asks for none of all this.
func TestNoCompanions(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", func(s *v1.FrameworkSpec) { s.Network = &v1.NetworkSpec{} })
	for _, pattern := range []string{"* services", "* secrets"} {
		w.requireRequests(pattern, 0)
	}
}

// The Service stays, unchanged, from attempt to attempt; so do the keys. Both are deleted with the Framework.
func TestCompanionsOutliveAttempts(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withCompanions, frameworkRetries(1))
	w.eventually("both are there", func() bool { return w.uidOf(apitest.Services, "a") != "" && w.uidOf(apitest.Secrets, "a-ssh") != "" })
	service, secret := w.uidOf(apitest.Services, "a"), w.uidOf(apitest.Secrets, "a-ssh")
	if s := w.status("a"); s.ServiceName != "a" || s.SecretName != "a-ssh" {
		t.Errorf("the status names %q and %q", s.ServiceName, s.SecretName)
	}
	w.EndPod("a-w-0", 1)
	w.eventually("the next attempt", func() bool { return w.status("a").AttemptStatus.ID == 1 })
	w.runs("a")
	w.restart()
	w.EndPod("a-w-0", 0)
	w.reaches("a", v1.Completed)
	if w.uidOf(apitest.Services, "a") != service || w.uidOf(apitest.Secrets, "a-ssh") != secret {
		t.Error("they are not what they were")
	}
	w.requireRequests("create secrets", 1)
	w.DeleteForeground(apitest.Frameworks, "a")
	w.eventually("all has gone", func() bool {
		return w.Get(apitest.Frameworks, "a") == nil && w.Get(apitest.Services, "a") == nil && w.Get(apitest.Secrets, "a-ssh") == nil
	})
}

// A Service that somebody deletes or changes is repaired at once, because it is watched.
func TestServiceIsMended(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withDNS)
	w.remade(apitest.Services, "a", "")
	before := w.uidOf(apitest.Services, "a")
	w.Delete(apitest.Services, "a")
	w.remade(apitest.Services, "a", before)
	w.Edit(apitest.Services, "a", func(o *unstructured.Unstructured) {
		_ = unstructured.SetNestedStringMap(o.Object, map[string]string{"app": "else"}, "spec", "selector")
	})
	w.eventually("it selects the Pods again", func() bool {
		selector, _, _ := unstructured.NestedStringMap(w.Get(apitest.Services, "a").Object, "spec", "selector")
		return len(selector) == 1 && selector[v1.KeyFrameworkName] == "a"
	})
	w.requireRequests("patch services", 1)
	w.Edit(apitest.Services, "a", func(o *unstructured.Unstructured) { o.SetLabels(nil) })
	w.eventually("it is watched again", func() bool { return w.Get(apitest.Services, "a").GetLabels()[v1.KeyFrameworkName] == "a" })
	w.never("it is mended again", func() bool { return len(w.Requests("patch services")) > 2 })
}

// The Service follows the spec, and is the same object.
func TestServiceFollowsTheSpec(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withDNS)
	w.remade(apitest.Services, "a", "")
	before := w.uidOf(apitest.Services, "a")
	w.respec("a", func(s *v1.FrameworkSpec) {
		s.Network = &v1.NetworkSpec{DNS: true, PublishNotReadyAddresses: new(bool)}
	})
	w.eventually("only Pods that are ready are published", func() bool {
		early, _, _ := unstructured.NestedBool(w.Get(apitest.Services, "a").Object, "spec", "publishNotReadyAddresses")
		return !early
	})
	if w.uidOf(apitest.Services, "a") != before {
		t.Error("it is another one")
	}
}

// A Secret is not watched. It is looked for now and then, and at once after an edit of the spec. A new Secret has new keys.
func TestSecretIsMadeAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		w.start()
		w.running("a", withKeys)
		w.remade(apitest.Secrets, "a-ssh", "")
		before := w.Get(apitest.Secrets, "a-ssh")
		time.Sleep(2 * companionCounts)
		if gets := len(w.Requests("get secrets")); gets < 2 || gets > 4 {
			w.t.Errorf("it was looked for %d times", gets)
		}
		w.Delete(apitest.Secrets, "a-ssh")
		deleted := time.Now()
		time.Sleep(companionCounts + time.Second)
		after := w.Get(apitest.Secrets, "a-ssh")
		if after == nil {
			w.t.Fatalf("it is not there after %s", time.Since(deleted))
		}
		if publicKey(w.t, before) == publicKey(w.t, after) {
			w.t.Error("it has the keys of the one before")
		}
		w.Delete(apitest.Secrets, "a-ssh")
		w.respec("a", withKeys, tasks(2))
		w.remade(apitest.Secrets, "a-ssh", after.GetUID())
	})
}

func dataOf(t *testing.T, secret *unstructured.Unstructured) map[string][]byte {
	t.Helper()
	var out corev1.Secret
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(secret.Object, &out))
	return out.Data
}

// publicKey returns the public key for the private key in a Secret.
func publicKey(t *testing.T, secret *unstructured.Unstructured) string {
	t.Helper()
	data := dataOf(t, secret)
	signer, err := ssh.ParsePrivateKey(data["id_ed25519"])
	require.NoError(t, err)
	return string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
}

// Only the metadata of an existing Secret is requested, whoever owns it.
func TestSecretsAreReadByTheirMetadata(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.Create(apitest.Secrets, stranger("a-ssh"))
	w.running("a", withKeys)
	w.waitsFor("a", "NameConflict")
	w.running("b", withKeys)
	w.remade(apitest.Secrets, "b-ssh", "")
	w.respec("b")
	w.eventually("it has gone", func() bool { return w.Get(apitest.Secrets, "b-ssh") == nil })
	for _, q := range w.Requests("* secrets") {
		if q.Verb != "create" && q.Verb != "delete" && !(q.Verb == "get" && q.MetadataOnly) {
			t.Errorf("%s, of the metadata only: %t", q.String(), q.MetadataOnly)
		}
	}
}

// Another directory has other files, and with them other keys.
func TestKeysForAnotherDirectory(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withKeys)
	w.remade(apitest.Secrets, "a-ssh", "")
	before := w.uidOf(apitest.Secrets, "a-ssh")
	w.respec("a", func(s *v1.FrameworkSpec) { s.SSH = &v1.SSHSpec{MountPath: "/keys"} })
	w.remade(apitest.Secrets, "a-ssh", before)
	if data := dataOf(t, w.Get(apitest.Secrets, "a-ssh")); !strings.Contains(string(data["config"]), "/keys/id_ed25519") {
		t.Errorf("config is %q", data["config"])
	}
}

// A companion that the spec no longer asks for is deleted, and only then removed from the status, even by a controller that did
// not create it.
func TestCompanionsAreDeleted(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withCompanions)
	w.remade(apitest.Services, "a", "")
	w.remade(apitest.Secrets, "a-ssh", "")
	w.stop()
	w.respec("a")
	w.start()
	w.eventually("both have gone", func() bool { return w.Get(apitest.Services, "a") == nil && w.Get(apitest.Secrets, "a-ssh") == nil })
	w.eventually("the status has forgotten them", func() bool { s := w.status("a"); return s.ServiceName == "" && s.SecretName == "" })
}

// If a name is taken, its object is left alone, and the field that asks for the name is reported. Other Frameworks, and the Pods
// of this one, are not affected.
func TestCompanionNameIsTaken(t *testing.T) {
	for resource, test := range map[string]struct{ name, field string }{apitest.Services: {"a", "spec.network"}, apitest.Secrets: {"a-ssh", "spec.ssh"}} {
		t.Run(resource, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			w.Create(resource, stranger(test.name))
			before := w.uidOf(resource, test.name)
			w.running("a", withCompanions)
			w.running("b", withCompanions)
			w.waitsFor("a", "NameConflict", test.name, test.field)
			w.remade(resource, strings.Replace(test.name, "a", "b", 1), "")
			w.respec("a")
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
			w.eventually("the status names none", func() bool { s := w.status("a"); return s.ServiceName == "" && s.SecretName == "" })
			if w.uidOf(resource, test.name) != before {
				t.Error("what others hold is not what it was")
			}
			w.requireRequests("delete "+resource+" "+test.name, 0)
		})
	}
}

// Without the permission, the condition names it and the file that grants it. The Pods of the Framework run, and the companions
// are created once it is granted.
func TestCompanionsWithoutPermission(t *testing.T) {
	for permission, file := range map[string]string{
		"get secrets": secretPermissions, "create secrets": secretPermissions, "create services": servicePermissions,
	} {
		t.Run(permission, func(t *testing.T) {
			t.Parallel()
			w := startWorld(t)
			verb, resource, _ := strings.Cut(permission, " ")
			name := map[string]string{apitest.Services: "a", apitest.Secrets: "a-ssh"}[resource]
			message := resource + ` is forbidden: User "system:serviceaccount:frameworkcontroller:frameworkcontroller" cannot ` + verb + ` resource "` + resource + `"`
			w.Inject(permission, apitest.Always, apitest.Refuse(403, "Forbidden", message))
			w.running("a", withCompanions)
			w.waitsFor("a", "Forbidden", file, resource)
			w.Heal()
			w.remade(resource, name, "")
			w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
		})
	}
}

// Services that cannot be watched are looked for now and then.
func TestServicesCannotBeWatched(t *testing.T) {
	inBubble(t, func(w *world) {
		refused := apitest.Refuse(403, "Forbidden", "you cannot")
		w.Inject("list services", apitest.Always, refused)
		w.Inject("watch services", apitest.Always, refused)
		w.start()
		w.running("a", withDNS)
		w.remade(apitest.Services, "a", "")
		w.Delete(apitest.Services, "a")
		time.Sleep(companionCounts + time.Minute)
		if w.Get(apitest.Services, "a") == nil {
			w.t.Error("it is not made again")
		}
	})
}

// Companions are not created while a Framework is suspended, and never for a completed one.
func TestCompanionsOfWhatDoesNotRun(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.create("a", withCompanions, suspended)
	w.conditionBecomes("a", v1.ConditionSuspended, "True because Suspended")
	w.running("b", withCompanions)
	w.remade(apitest.Services, "b", "")
	w.EndPod("b-w-0", 0)
	w.reaches("b", v1.Completed)
	w.Delete(apitest.Services, "b")
	w.never("anything is made", func() bool { return w.Get(apitest.Services, "a") != nil || w.Get(apitest.Services, "b") != nil })
	w.setSuspend("a", false)
	w.remade(apitest.Services, "a", "")
}

// Names too long for DNS are reported and affect nothing else. Anything that keeps a Pod from running is reported first.
func TestNamesTooLongForDNS(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	long := strings.Repeat("r", 60)
	w.create("a", withDNS, roles(role(long, 1), role(long+"s", 1)))
	w.waitsFor("a", "NamesUnresolvable", long, "63", "the same applies to 1 more role", "spec.hostname")
	w.remade(apitest.Services, "a", "")
	w.taskReaches("a", long, 0, v1.AttemptPreparing)
	if host, _, _ := unstructured.NestedString(w.Get(apitest.Pods, "a-"+long+"-0").Object, "spec", "hostname"); host != "" {
		t.Errorf("the Pod has hostname %q", host)
	}
	w.respec("a", withDNS, roles(role("w", 1)))
	w.conditionBecomes("a", v1.ConditionWaiting, "False because NothingInTheWay")
	w.Inject("create pods", apitest.Always, apitest.Quota())
	w.create("b", withDNS, roles(role(long, 1)))
	w.conditionBecomes("b", v1.ConditionWaiting, "True because Forbidden")
}

func TestKeyVolumeIsTaken(t *testing.T) {
	t.Parallel()
	w := startWorld(t)
	w.running("a", withKeys, template(`{"spec": {"containers": [{"name": "main", "image": "none"}], "volumes": [{"name": "fc-ssh", "emptyDir": {}}]}}`))
	w.warnedOnce("a", "KeyVolumeTaken")
}
