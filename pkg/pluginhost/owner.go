package pluginhost

import (
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// owner identifies the owner of a question: a Framework; or a namespace, if the Framework is unknown; or nobody.
type owner struct{ namespace, framework string }

// nobody is the owner of records for a sink, which are about any number of Frameworks. Its faults count against the
// plugin alone, and its calls against no namespace.
var nobody owner

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

// common returns the owner that includes all of them; ok is false if they are in several namespaces.
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
