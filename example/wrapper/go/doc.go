// Package portal is an example of a platform on top of Frameworks: it turns the jobs of its users into Frameworks, follows all of
// them, and shows each in a few words. Copy it, and change what differs at your platform.
//
// Submit may be called again with the same job, as often as you like: there is one Framework for it. Watch keeps no Task and no Pod
// template in memory, so that 10,000 Frameworks fit into some 30 MiB. ViewOf reads only fields that are stable.
//
//	p := portal.New(clientset, "team-a")
//	f, err := p.Submit(ctx, portal.Job{Owner: "ada", Key: "run-17", Image: "registry.example.com/train:1", Workers: 8})
//	err = p.Watch(ctx, func(v portal.View) { ... }, func(name string) { ... })
//
// docs/tasks/build-a-platform.md explains why it does what it does; ../python has the same for Python.
package portal
