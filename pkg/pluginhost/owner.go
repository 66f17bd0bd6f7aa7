package pluginhost

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// owner is whose question something is: a Framework's; a namespace's, if it is not known which of its Frameworks; or, if
// it has no namespace either, nobody's in particular.
type owner struct{ namespace, framework string }

func ownerOf(f *pluginpb.Framework) owner { return owner{f.GetNamespace(), f.GetName()} }

func (o owner) ofNamespace() owner { return owner{namespace: o.namespace} }

func (o owner) String() string {
	if o.framework == "" {
		return "namespace " + o.namespace
	}
	return "Framework " + o.namespace + "/" + o.framework
}

func (o owner) limits() limits {
	if o.framework == "" {
		return ofNamespace
	}
	return ofFramework
}

// common returns whose all of them are. False if they are of several namespaces.
func common(owners []owner) (owner, bool) {
	var o owner
	for i, next := range owners {
		switch {
		case i == 0:
			o = next
		case next.namespace != o.namespace:
			return owner{}, false
		case next != o:
			o = o.ofNamespace()
		}
	}
	return o, len(owners) > 0
}
