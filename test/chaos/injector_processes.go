package main

import (
	"context"
	"math/rand/v2"
	"syscall"
	"time"
)

// Faults of processes.

// killController kills any controller, the leader a little more often: the others have less to lose.
func (i *injector) killController(_ context.Context, random *rand.Rand) error {
	victim := i.controllers.any(random)
	leader := i.controllers.leader()
	if leader != nil && random.IntN(3) == 0 {
		victim = leader
	}
	if victim == nil {
		return nil
	}
	what := "kills: controller"
	if victim != leader {
		what = "kills: controller that stood by"
	}
	victim.end(syscall.SIGKILL)
	i.figures.count(what)
	return i.controllers.failed()
}

// freezeController pauses the leader, for a moment or until another may lead. Then it resumes the process as if nothing had happened.
func (i *injector) freezeController(ctx context.Context, random *rand.Rand) error {
	leader := i.controllers.leader()
	if leader == nil {
		return nil
	}
	d := time.Duration(random.Int64N(int64(time.Second)))
	if random.IntN(3) > 0 {
		d += leaseDuration
		i.figures.count("stops: controller, for longer than a lease")
	} else {
		i.figures.count("stops: controller, for a moment")
	}
	leader.freeze(ctx, d)
	return nil
}

// plugin returns the PID of any plugin, or 0.
func (i *injector) plugin(random *rand.Rand) int {
	c := i.controllers.leader()
	if c == nil {
		return 0
	}
	all := c.plugins()
	if len(all) == 0 {
		return 0
	}
	return all[random.IntN(len(all))]
}

func (i *injector) killPlugin(_ context.Context, random *rand.Rand) error {
	if pid := i.plugin(random); pid != 0 && syscall.Kill(pid, syscall.SIGKILL) == nil {
		i.figures.count("kills: plugin")
	}
	return nil
}

// hangPlugin stops a plugin. Some are resumed later, so that answers arrive that nobody waits for.
func (i *injector) hangPlugin(ctx context.Context, random *rand.Rand) error {
	pid := i.plugin(random)
	if pid == 0 || syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return nil
	}
	if random.IntN(2) == 0 {
		i.figures.count("stops: plugin, for good")
		return nil
	}
	i.figures.count("stops: plugin, for a while")
	pause(ctx, time.Duration(random.Int64N(int64(4*time.Second))))
	syscall.Kill(pid, syscall.SIGCONT)
	return nil
}

// killHistory kills a history server, or PostgreSQL below it. Both are back soon.
func (i *injector) killHistory(_ context.Context, random *rand.Rand) error {
	h := i.histories[random.IntN(len(i.histories))]
	if h.postgres != nil && random.IntN(2) == 0 {
		i.figures.count("kills: PostgreSQL")
		return h.killDatabase(time.Duration(random.IntN(1500)) * time.Millisecond)
	}
	i.figures.count("kills: history server")
	h.now().End(syscall.SIGKILL)
	return h.failed()
}

// killServer kills the API server or etcd, and starts it again soon.
func (i *injector) killServer(ctx context.Context, random *rand.Rand) error {
	component := []string{"kube-apiserver", "etcd"}[random.IntN(2)]
	restart, err := i.cluster.Kill(component)
	if err != nil {
		return err
	}
	i.figures.count("kills: " + component)
	pause(ctx, time.Duration(random.IntN(1500))*time.Millisecond)
	return restart()
}
