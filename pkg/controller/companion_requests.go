package controller

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/objects"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/sshkey"
)

// The files with the permissions.
const (
	servicePermissions = "deploy/install.yaml"
	secretPermissions  = "deploy/ssh/secrets.yaml"
)

// keepService creates the Framework's Service, or corrects the existing one.
func (p *performer) keepService(r *record) request {
	wanted, uid := wantedService(r), r.uid
	p.watches.companions.Ensure(services)
	client := p.clients.Core.CoreV1().Services(r.key.Namespace)
	return func(ctx context.Context) result {
		_, err := client.Create(ctx, wanted, metav1.CreateOptions{FieldManager: apiserver.FieldManager})
		if !apierrors.IsAlreadyExists(err) {
			return result{err: pointingTo(servicePermissions, err)}
		}
		found, err := client.Get(ctx, wanted.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
			return result{err: errNameTaken} // it was taken a moment ago
		case err != nil:
			return result{err: pointingTo(servicePermissions, err)}
		case !controlledBy(found, uid):
			return result{err: takenBy("Service", wanted.Name, "spec.network")}
		case found.DeletionTimestamp != nil:
			return result{err: terminating(found)}
		case found.Labels[v1.KeyFrameworkName] == wanted.Labels[v1.KeyFrameworkName] && sameSelection(found.Spec.Selector, found.Spec.PublishNotReadyAddresses, wanted):
			return result{}
		}
		_, err = client.Patch(ctx, found.Name, types.MergePatchType, correction(found, wanted), metav1.PatchOptions{FieldManager: apiserver.FieldManager})
		return result{err: pointingTo(servicePermissions, err)}
	}
}

// correction returns the merge patch that gives a Service the wanted selector, and the label by which it is watched.
func correction(found, wanted *corev1.Service) []byte {
	selector := map[string]any{}
	for key := range found.Spec.Selector {
		selector[key] = nil
	}
	for key, value := range wanted.Spec.Selector {
		selector[key] = value
	}
	patch, _ := json.Marshal(map[string]any{ // maps of strings always have a JSON form
		"metadata": map[string]any{"uid": found.UID, "resourceVersion": found.ResourceVersion, "labels": wanted.Labels},
		"spec":     map[string]any{"selector": selector, "publishNotReadyAddresses": wanted.Spec.PublishNotReadyAddresses},
	})
	return patch
}

// keepSecret creates the Secret with the Framework's keys, or replaces it if the directory of the keys has changed. Only the
// metadata of an existing Secret are read.
func (p *performer) keepSecret(r *record) request {
	ssh, framework := r.framework.Spec.SSH, owner(r)
	secret, dir := companionObject(p.clients, r, lifecycle.KeySecret), ssh.MountPath
	create := func(ctx context.Context) result { return result{err: p.createSecret(ctx, framework, dir)} }
	return func(ctx context.Context) result {
		found, err := secret.get(ctx, secret.name)
		switch {
		case err != nil:
			return result{err: pointingTo(secretPermissions, err)}
		case found == nil:
			return create(ctx)
		case !controlledBy(found, framework.UID):
			return result{err: takenBy("Secret", secret.name, "spec.ssh")}
		case found.GetDeletionTimestamp() != nil:
			return result{err: terminating(found)}
		case found.GetAnnotations()[v1.KeyMountPath] == dir:
			return result{}
		}
		if err := secret.delete(ctx, secret.name, onlyThat(found)); err != nil {
			return result{err: replaced(err)}
		}
		return create(ctx)
	}
}

func (p *performer) createSecret(ctx context.Context, f objects.Owner, dir string) error {
	keys, err := sshkey.New(f.Name + "." + f.Namespace)
	if err != nil {
		return err
	}
	_, err = p.clients.Core.CoreV1().Secrets(f.Namespace).Create(ctx, objects.KeySecret(f, dir, keys), metav1.CreateOptions{FieldManager: apiserver.FieldManager})
	if apierrors.IsAlreadyExists(err) {
		return errStillThere // the previous one, or our own, whose creation was not answered: the next attempt finds out
	}
	return pointingTo(secretPermissions, err)
}

// deleteCompanion deletes the Framework's object under the name of a companion.
func (p *performer) deleteCompanion(r *record, c lifecycle.Companion) request {
	return deleteOwned(companionObject(p.clients, r, c), r.uid)
}

// deleteOwned deletes an object, if that Framework controls it.
func deleteOwned(o object, framework types.UID) request {
	return func(ctx context.Context) result {
		found, err := o.get(ctx, o.name)
		if err != nil || found == nil || !controlledBy(found, framework) {
			return result{err: err}
		}
		outcome := remove(o, deletion{uid: found.GetUID(), confirm: true})(ctx)
		if outcome.err == nil && outcome.deletedUID == "" {
			outcome.err = errStillThere
		}
		return outcome
	}
}

// companionObject is the object under the name of a companion. Only its metadata are read.
func companionObject(c *apiserver.Clients, r *record, of lifecycle.Companion) object {
	return metadataObject(c.Metadata.Resource(companionResource(of)).Namespace(r.key.Namespace), of.Name(r.key.Name))
}

// metadataObject is an object of which only the metadata are read.
func metadataObject(client metadata.ResourceInterface, name string) object {
	return object{
		name: name,
		get: func(ctx context.Context, name string) (metav1.Object, error) {
			found, err := client.Get(ctx, name, metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			return found, nil
		},
		delete: func(ctx context.Context, name string, o metav1.DeleteOptions) error {
			return client.Delete(ctx, name, o)
		},
	}
}

func controlledBy(o metav1.Object, uid types.UID) bool {
	controller := metav1.GetControllerOf(o)
	return controller != nil && controller.UID == uid
}

func onlyThat(o metav1.Object) metav1.DeleteOptions {
	uid := o.GetUID()
	return metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &uid}}
}

// replaced returns the result of deleting an object that the next attempt creates again.
func replaced(err error) error {
	if err == nil || apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return errStillThere
	}
	return err
}

// terminating returns the error for an object being deleted, naming the finalizers that hold it.
func terminating(o metav1.Object) error {
	if podview.FinalizersOf(o) == "" {
		return errStillThere
	}
	return nameTakenBy(o)
}

// takenBy returns the error for a name held by others, with the field that asks for it.
func takenBy(kind, name, field string) error {
	return fmt.Errorf("%w: %s %s does not belong to this Framework; delete it, rename the Framework, or remove %s", errNameTaken, kind, name, field)
}

// pointingTo adds to a permission error the file that grants the permission. Quotas and webhooks forbid in other words.
func pointingTo(file string, err error) error {
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), " cannot ") {
		return err
	}
	return fmt.Errorf("%w; %s grants the controller that permission", err, file)
}
