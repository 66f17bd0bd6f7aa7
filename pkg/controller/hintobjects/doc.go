// Package hintobjects handles the objects that the hints of a scheduler's plugin request for an attempt, such as its gang: it
// creates and watches them, and collects facts about the cluster for the plugin.
//
// It promises to leave objects of other owners alone, and to tie each object to the attempt. Plugins, package lifecycle and
// package controller decide what is requested, and when. Nothing here accesses the memory of a Framework, so all of it may be
// called outside its rounds.
//
//	maker := hintobjects.Maker{KindOf: kinds.Of, Namespace: namespace, Framework: name, Owner: reference, Watched: watches}
//	made, err := maker.Make(ctx, answer.GetObjects(), superseded)
//	err = fields.Check(ctx)                                     // does the API server know the fields that Pods are to have?
//	err = maker.ApplyStatus(ctx, answer.GetObjects(), made)
//	events := hintobjects.Events(ctx, client, namespace, made)
//
// An error caused by the API server is an *Error; KindGone reports whether a whole kind is gone with its CRD. Watches follows
// kinds that only some Frameworks use; package controller watches Services with it, too.
package hintobjects
