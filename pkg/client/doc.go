// Package client is the root of the typed client for Frameworks, all of it generated from pkg/apis (make generate).
//
//	clientset/versioned      create, read, change and watch Frameworks; with a fake for tests
//	listers, informers       a local cache of them, for controllers
//	applyconfiguration       for server-side apply
//
// A program that starts a Framework and looks at it:
//
//	clientset, err := versioned.NewForConfig(config)
//	frameworks := clientset.FrameworkControllerV1().Frameworks("default")
//	f, err := frameworks.Create(ctx, &v1.Framework{ObjectMeta: ..., Spec: ...}, metav1.CreateOptions{})
//	f, err = frameworks.Get(ctx, f.Name, metav1.GetOptions{})
//
// Fields that a Go struct always writes, such as taskNumber, get no default from the API server: their zero means 0.
// An apply configuration leaves out what was not set, so it gets the documented defaults.
//
// One object that does not fit the types makes the request for a whole list fail. A program that must tolerate this, such as
// the controller, reads Frameworks as unstructured data and decodes them one by one.
package client
