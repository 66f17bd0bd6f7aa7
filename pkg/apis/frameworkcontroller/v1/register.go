package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Names under which the API server serves Frameworks.
const (
	GroupName         = "frameworkcontroller.microsoft.com"
	FrameworkKind     = "Framework"
	FrameworkPlural   = "frameworks"
	FrameworkSingular = "framework"
	// CRDName is the name of the CustomResourceDefinition; clients wait on its condition Established.
	CRDName = FrameworkPlural + "." + GroupName
)

// SchemeGroupVersion is the group and version of every type in this package.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: "v1"}

var (
	// SchemeBuilder collects what AddToScheme registers.
	SchemeBuilder = runtime.NewSchemeBuilder(addKnownTypes)
	// AddToScheme registers Framework and FrameworkList with a scheme.
	AddToScheme = SchemeBuilder.AddToScheme
)

// Resource qualifies a resource name with this package's group.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

func addKnownTypes(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion, &Framework{}, &FrameworkList{})
	metav1.AddToGroupVersion(scheme, SchemeGroupVersion)
	return nil
}
