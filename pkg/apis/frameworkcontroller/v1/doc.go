// Package v1 holds the Framework API: its types, constants and generated deep copies. It has no behavior.
//
// Names, JSON keys and nullability are a wire contract shared with existing manifests, wrappers and log
// collectors. A field may be added; none may be renamed, retyped or made required.
//
// A Framework describes TaskRoles; a TaskRole describes a number of equal Tasks; each attempt of a Task is
// one Pod. Users write spec, the controller alone writes status, and only through the status subresource.
//
// Comments on fields are also the help texts of kubectl explain, so they are written for users and at most 76
// characters wide. Text after a line of three hyphens is for readers of the code only.
//
// +kubebuilder:object:generate=true
// +groupName=frameworkcontroller.microsoft.com
// +groupGoName=FrameworkController
package v1
