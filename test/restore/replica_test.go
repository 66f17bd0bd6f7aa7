package restore

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// replica is a controller that is started again when it has ended, as a Deployment does.
type replica struct {
	t       *testing.T
	options launch.Options
	over    chan struct{} // closed when no further life follows

	mu      sync.Mutex
	lives   []*launch.Process
	retired bool
}

// startReplica starts a replica that runs until the test ends.
func startReplica(t *testing.T, args ...string) *replica {
	t.Helper()
	r := &replica{t: t, over: make(chan struct{}), options: launch.Options{
		Binary: binary, Dir: t.TempDir(), Config: "{}", Args: append([]string{"-v=4"}, args...),
	}}
	_, err := r.live()
	require.NoError(t, err)
	go r.keep()
	t.Cleanup(r.retire)
	return r
}

// live begins a life, unless the replica is retired.
func (r *replica) live() (begun bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.retired {
		return false, nil
	}
	life, err := launch.Controller(kube, r.options)
	if err == nil {
		r.lives = append(r.lives, life)
	}
	return true, err
}

func (r *replica) keep() {
	defer close(r.over)
	for {
		<-r.now().Ended()
		time.Sleep(time.Second)
		if begun, err := r.live(); err != nil {
			r.t.Errorf("starting the controller again: %v", err)
			return
		} else if !begun {
			return
		}
	}
}

func (r *replica) now() *launch.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lives[len(r.lives)-1]
}

// ended are the lives that are over.
func (r *replica) ended() (out []*launch.Process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, life := range r.lives {
		select {
		case <-life.Ended():
			out = append(out, life)
		default:
		}
	}
	return out
}

func (r *replica) retire() {
	r.mu.Lock()
	r.retired = true
	r.mu.Unlock()
	r.now().Kill()
	<-r.over
	if r.t.Failed() {
		r.t.Logf("log of a controller:\n%s", r.now().Tail(8000))
	}
}
