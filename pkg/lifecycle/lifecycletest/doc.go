// Package lifecycletest tells stories about Frameworks: a tiny cluster with one Framework in it, and a
// controller that is nothing but the loop around lifecycle.Step, both driven by commands.
//
// The cluster has what matters to the core: an API server with UIDs, preconditions and a history of changes;
// caches that lag behind it; a garbage collector that honors foreground deletion; nodes that run Pods; and
// requests that fail, arrive late, or whose answers are lost. It leaves out everything else, such as what a Pod
// contains. It is for tests of package lifecycle: for its stories, and for random schedules of the same commands.
//
//	story := lifecycletest.NewStory(lifecycletest.Config())
//	story.Hooks.Stepped = func(in lifecycle.Input, out lifecycle.Output) { ... }
//	text, err := story.Do("framework max=1", "worker x2 timeout=60") // what happened, as text
//	text, err = story.Do("exit worker-0 9", "")
//	state := story.Stored()
//
// The text has a line per transition, "a-0: Preparing -> Running (T7b)", and an indented one per request of the
// controller. Successive transitions of one Task are one line.
//
// Commands about the Framework. Lines below the first two and "given" are roles.
//
//	framework [exec=..] [suspend] [max=..] [fancy] [backoff=initial/max] [ttl=..] [place=..|no] [gang=..|no]
//	                [after=succeeded/failed] [deadline=..|no]             create it; place is scheduling.timeoutSec, after is
//	                                                                      ttlSecondsAfter, deadline is activeDeadlineSeconds
//	                [volume=name/per/retention/role] [volume=no/name]     a volume is added, or taken out
//	edit      the same; "-role" removes one                               change the spec
//	    role [x<number>] [failed=..] [succeeded=..] [max=..] [fancy] [backoff=..] [timeout=..|null] [gang=..]
//	                [start=unscheduled/imagePull/containerCreate/notRunning|no] [after=role/when|framework:name/when|no] [deadline=..|no]
//	                [parallel=..|no] [items=a,b,c|@list|no]
//	                                                                      and, of a role or the Framework, window=failures/seconds|no
//	                                                                      budget=code|phrase|attribute=../retries|no; of a role restart=..
//	          both may have avoid=Prefer|Require/seconds/nodes, or avoid=no
//	given     the same, and conflict=min/max creation=5m retention=1h tasks=4
//	                                                                      a new cluster, in which it runs
//	new                                                                    a new cluster
//	wipe                                                                   somebody deletes the status
//
// Commands about what others do. A name is `framework`, `configmap`, or `pod role-index`.
//
//	exit role-index code [reason]         the Pod's containers end
//	oom role-index [code]                 the Pod's container runs out of memory
//	memory                                the memory of Tasks, as stored, and of their Pods
//	complete role-index code     the container that completes a Pod ends, and another one runs on
//	stall role-index [reason container words]     its node cannot start the Pod, or can again; or no scheduler looks at it
//	ready role-index [no]                 the Pod runs, and is ready, or is so no more
//	initialize role-index [done]          an init container of the Pod runs, or has ended
//	nodes name...                         the cluster has these nodes, and no other; the first that fits is taken
//	reject role-index words               the scheduler says why it finds no node for the Pod, in a crowded cluster
//	delete name [force|background]        somebody deletes an object
//	keep role-index [finalizer]           somebody keeps a Pod, or lets it go
//	disrupt role-index reason words       somebody lets a Pod say why it is to go
//	intrude name                          somebody takes a name
//	list name [a b c]                     a ConfigMap has these items, or the lines below, or is deleted
//	other name [Succeeded|Failed|elsewhere|gone]
//	                                      another Framework is there, has ended, is run by another controller, or is gone
//	circle name...                        these Frameworks wait for each other, beginning with this one; without names, no more
//	claim volume[/role[/index]] taken|free|deleted
//	                                      somebody has a claim of that name, or has it no more, or deletes the Framework's
//	advance 5s                            time passes
//
// Commands about trouble. Faults hit the first request that fits, "save" being the write of the status.
//
//	fail|lose|delay [request|<n>]         the (n-th) request does not arrive; its answer does not; it comes late
//	refuse request code                   the API server says no for good
//	land                                  late requests arrive
//	crash n                               the controller dies after n requests, and restarts
//	restart [n]                           it restarts, with caches that are n changes behind
//	heal                                  an end to all that
//
// By default, everything that can happen happens after each command. These commands make it happen step by step:
//
//	set slow on|off                       nothing happens by itself
//	set lag on|off                        nothing is delivered to caches by itself
//	set stuck on|off                      nodes do nothing by themselves
//	set async on|off                      requests take their time
//	set crowded on|off                    no node has room for another Pod
//	set held on|off                       ConfigMaps have a finalizer that does not go
//	set blind on|off                      the garbage collector does not see that Pods have gone; not ended by heal
//	set policy|scheduler|judge on|off     plugins are asked whether the attempt ends, for hints, and whether a Pod that does not
//	                                      get to run may take longer; not ended by heal
//	set classifier on|off                 a plugin is asked what failures mean; not ended by heal
//	answer builtin|continue|succeeded     a policy answers
//	blame role-index code [avoid=Prefer|Require/seconds [reason]]
//	                                      a classifier says what the failure of a Pod means, and what of its node
//	answer hints|prepared                 a scheduler has hints, and what they want is made
//	admit [follow] [start]                it says yes to what it is asked, if it is
//	withhold, reconsider                  it says not yet, if it is asked; it may say something else by now
//	evict [grace=..]                      it takes back what it has admitted, if it has
//	judge role-index code|wait|no         a classifier has an opinion on a Pod that does not get to run, or none
//	advise role-index [restart=..] [delay=..] [giveup]
//	                                      from now on a classifier judges failures, as the rules do, and says this of the Task's
//	archived [all|lost]                   a sink takes what it was asked first, or all; or its answer is lost
//	logged [all]                          a sink has collected the logs that it was asked for first, or all
//	run, turn                             everything happens, or just one thing
//	round                                 one round of the controller
//	deliver [framework|configmap|pods]    caches get every change, or one
//	request [n]                           a request under way arrives, or its answer
//	collect                               the garbage collector does one pass
//	kubelet [role-index]                  Pods get one step further on their nodes
//
// Commands that show something: status, earlier, avoided, world, conditions, events, pending.
package lifecycletest
