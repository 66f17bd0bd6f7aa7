package controller

import (
	"context"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// request makes an action ready.
func (p *performer) request(r *record, a lifecycle.Action) request {
	switch a := a.(type) {
	case lifecycle.CreateConfigMap:
		return p.createConfigMap(r, a)
	case lifecycle.DeleteConfigMap:
		if a.Force {
			return p.releaseConfigMap(r, a.UID)
		}
		return remove(configMapObject(p.clients, r), deletion{uid: a.UID, confirm: r.dependents.configMap.live != nil})
	case lifecycle.ReadConfigMap:
		return find(configMapObject(p.clients, r), r.dependents.configMap.deleteRequested)
	case lifecycle.CreatePod:
		return p.createPod(r, a)
	case lifecycle.DeletePod:
		unseen := r.dependents.pod(r.podName(a.Task)).live != nil
		return remove(podObject(p.clients, r, a.Task), deletion{uid: a.UID, grace: gracePeriod(a), confirm: a.Force || unseen})
	case lifecycle.ReadPod:
		return p.findPod(r, a.Task)
	case lifecycle.KeepCompanion:
		if a.Companion == lifecycle.KeySecret {
			return p.keepSecret(r)
		}
		return p.keepService(r)
	case lifecycle.DeleteCompanion:
		return p.deleteCompanion(r, a.Companion)
	case lifecycle.DeleteFramework:
		return p.removeFramework(r)
	}
	return func(context.Context) result { return result{} }
}
