package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// controllers are the running controllers: one without a lease, or several of which one leads. Each reaches the API server through the
// proxy.
type controllers struct {
	cluster *cluster.Cluster
	binary  string
	address string // of the proxy
	// admitter asks the scheduler of gangs, and adviser gives the advice that Frameworks choose.
	admitter, adviser string
	contrary          string // the plugin in shadow
	histories         []*historySite
	log               string // path of the logs of all lives, to which -0.log and so on is added
	skew              time.Duration
	figures           *figures
	random            *rand.Rand
	ended             func() // called when a life of a controller has ended

	mu      sync.Mutex
	members []*controller
	faults  []error // faults of earlier members
}

// delays are as short as possible, so that no wait outlasts the run. The last one, after which an object that no controller has ever seen
// counts as lost, is the longest wait of Frameworks after the end of faults.
const delays = `
frameworkMinRetryDelaySecForTransientConflictFailed: 1
frameworkMaxRetryDelaySecForTransientConflictFailed: 2
objectLocalCacheCreationTimeoutSec: 60
`

// set replaces the running controllers by n others. A single one holds no lease.
func (c *controllers) set(n int) error {
	c.end(syscall.SIGTERM)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range n {
		member, err := c.member(i, n > 1)
		if err == nil {
			err = member.live()
		}
		if err != nil {
			return err
		}
		c.members = append(c.members, member)
	}
	return nil
}

// end ends all, and returns when they have ended.
func (c *controllers) end(signal syscall.Signal) {
	c.mu.Lock()
	before := c.members
	c.members = nil
	c.mu.Unlock()
	for _, m := range before {
		m.retire(signal)
		c.mu.Lock()
		c.faults = append(c.faults, m.failed())
		c.mu.Unlock()
	}
}

// failed returns the faults of controllers that have ended by themselves.
func (c *controllers) failed() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	errs := slices.Clone(c.faults)
	for _, m := range c.members {
		errs = append(errs, m.failed())
	}
	return errors.Join(errs...)
}

// running returns the current life of each controller.
func (c *controllers) running() (lives []*launch.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		lives = append(lives, m.now())
	}
	return lives
}

// any returns a running controller, or nil.
func (c *controllers) any(random *rand.Rand) *controller {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.members) == 0 {
		return nil
	}
	return c.members[random.IntN(len(c.members))]
}

// leader returns the one that leads, or any if there is no lease; nil if none leads.
func (c *controllers) leader() *controller {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if len(c.members) == 1 || m.leads() {
			return m
		}
	}
	return nil
}

// member prepares to run a controller with its default configuration.
func (c *controllers) member(i int, elects bool) (*controller, error) {
	binary, err := filepath.Abs(c.binary)
	if err != nil {
		return nil, err
	}
	m := &controller{
		cluster: c.cluster, binary: binary, skew: c.skew, figures: c.figures,
		dir: filepath.Join(c.cluster.Dir, fmt.Sprint("controller-", i)),
		log: fmt.Sprintf("%s-%d.log", c.log, i), random: rand.New(rand.NewPCG(c.random.Uint64(), 1)), ended: c.ended,
	}
	if elects {
		m.args = elected
	}
	return m, c.configure(m.dir)
}

// configure writes the configuration into the controller's work dir.
func (c *controllers) configure(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := clientcmd.WriteToFile(kubeconfigFor(c.address), kubeconfig); err != nil {
		return err
	}
	shipped, err := os.ReadFile(filepath.Join("example", "config", "default", "frameworkcontroller.yaml"))
	if err != nil {
		return err
	}
	items := fmt.Sprintf("- {name: admitter, kind: SchedulerHints, command: %s}\n- {name: adviser, kind: FailureClassifier, failurePolicy: Wait, command: %s}",
		c.admitter, c.adviser)
	items += "\n" + pluginInShadow(c.contrary)
	for _, h := range c.histories {
		items += "\n" + h.sink()
	}
	config, err := withRuleInShadow(string(shipped))
	if err != nil {
		return err
	}
	plugins, err := launch.WithPlugins(config, items)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("%s%s\nkubeConfigFilePath: %s\n", plugins, delays, kubeconfig)
	return os.WriteFile(filepath.Join(dir, "frameworkcontroller.yaml"), []byte(text), 0o644)
}

func kubeconfigFor(address string) clientcmdapi.Config {
	return clientcmdapi.Config{
		Clusters:       map[string]*clientcmdapi.Cluster{"chaos": {Server: address}},
		Contexts:       map[string]*clientcmdapi.Context{"chaos": {Cluster: "chaos"}},
		CurrentContext: "chaos",
	}
}
