// Package hintobjects has the objects that the hints of a scheduler's plugin want for an attempt, such as its gang: it makes
// them, watches them, and says what else a plugin is to know of the cluster.
//
// It promises to leave alone what another owner has, and to make an object of the attempt go with the attempt. What is wanted,
// and when it is asked for, is decided by plugins, package lifecycle and package controller. Nothing here touches the memory of
// a Framework, so all of it may be called outside its rounds.
//
//	maker := hintobjects.Maker{KindOf: kinds.Of, Namespace: namespace, Framework: name, Owner: reference, Watched: watches}
//	made, err := maker.Make(ctx, answer.GetObjects(), superseded)
//	err = fields.Check(ctx)                                     // does the API server know the fields that Pods are to have?
//	err = maker.ApplyStatus(ctx, answer.GetObjects(), made)
//	events := hintobjects.Events(ctx, client, namespace, made)
//
// An error that the API server is the cause of is an *Error; KindGone tells whether a whole kind has gone with its CRD.
// Watches follows kinds of which only some Frameworks have objects; package controller watches Services with it, too.
package hintobjects
