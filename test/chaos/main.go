// Chaos lets many Frameworks of all shapes live through a bad time. Then it checks whether each has ended as it would have
// in a good one, whether a guarantee was broken on the way (test/checker), and whether anything is left.
//
//	chaos                    ten minutes of faults
//	chaos -quick             about two minutes in all, for CI
//	chaos -seed 7            the Frameworks, their users' changes, and the faults of that seed
//	chaos -judge bin/chaos   only the checker, on the files of an earlier run there
//	chaos -calm              no faults at all: shows that the expected ends are right
//	chaos -rehearse=false    without the good time that comes first
//	chaos -faults 30s -kill-every 3s -frameworks 60
//
// A real control plane with simulated nodes runs, and the real controller: first a single one that is restarted as soon as it
// has ended, then two, one of them the leader. They reach the API server through a proxy that refuses, delays and breaks
// requests, some of them after they took effect, sends watch events late or twice, and returns outdated lists to clients
// that allow them. Meanwhile controllers and plugins are killed or stopped for a while, the API server
// and etcd are killed now and then, others delete Pods and ConfigMaps, and the clock of every controller is wrong. The history
// servers are killed, too, one with SQLite and, where it is installed, one with PostgreSQL, which is killed itself. A node
// is removed, and recreated when the garbage collector of Pods has deleted its Pods; -quick leaves that out. An
// author in another namespace has Frameworks that ask for too much. Some Frameworks were begun by the original controller.
// A scheduler admits gangs, and evicts some.
//
// A backup of etcd is restored in test/restore and not here: everything since the backup would have to be forgotten,
// and the checker holds one history to its guarantees.
//
// In the end each history server must have each attempt and each verdict exactly once, and no other.
//
// A plugin and a rule in shadow differ about most failures. No status and no event may have a word of theirs. The history servers
// have their verdicts at most once, each compared with the outcome of its attempt. The metrics of the controllers that run in the end
// must explain every verdict that is missing since the last of them started; Frameworks that begin after the faults have failures then.
//
// First the same Frameworks live through a good time, without faults: its results are the expected ones.
//
// The same seed gives the same Frameworks, changes and sequence of faults. When exactly a fault hits is up to the
// machine, so a failure may need more than one run to be reproduced.
//
// It runs in the root folder of a checkout, and expects the controller in bin/frameworkcontroller, the history server in
// bin/history, and plugins in bin/plugins (make build). To understand a failure, look at the history, the audit log and the
// controller's log that it leaves in -out.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// options are the command line.
type options struct {
	seed       uint64
	faults     time.Duration // how long there are faults
	patience   time.Duration // how long Frameworks may take to end without faults
	killEvery  time.Duration // mean time between kills of the controller
	serverKill time.Duration // mean time between kills of the API server or etcd; 0 for none
	removal    time.Duration // mean time from the return of a node to its removal; 0 for none
	frameworks int
	skew       time.Duration // maximum error of the clocks of controllers
	calm       bool
	rehearse   bool
	binary     string // path of the controller
	out        string
	judge      string
}

func main() {
	o := parseFlags()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	act := run
	if o.judge != "" {
		act = checkAgain
	}
	err := act(ctx, o)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		os.Exit(130)
	case o.judge != "":
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	default:
		fmt.Fprintf(os.Stderr, "error: %v\nagain: chaos -seed %d -frameworks %d -faults %s; see %s\n", err, o.seed, o.frameworks, o.faults, o.out)
		os.Exit(1)
	}
}

// quickly has the values of -quick. It keeps the whole patience, which is used only if something is amiss: after an outage of the API
// server, the garbage collector of Kubernetes may see nothing for more than a minute, and an object deleted then does not wait for its
// dependents. It removes no node, as the garbage collector of Pods takes longer than its faults: it looks every 20 s, and gives a node 40 s
// to come back.
var quickly = map[string]string{
	"frameworks": "56", "faults": "40s", "kill-every": "2s", "kill-server-every": "25s", "remove-node-every": "0s",
	"skew": "0s", "rehearse": "false",
}

func parseFlags() options {
	o := options{}
	quick := flag.Bool("quick", false, "56 Frameworks, 40 s of faults")
	flag.Uint64Var(&o.seed, "seed", uint64(time.Now().UnixNano()%100000), "chooses Frameworks, their users' changes, and faults")
	flag.DurationVar(&o.faults, "faults", 10*time.Minute, "how long there are faults")
	flag.DurationVar(&o.patience, "patience", machine.Within(3*time.Minute), "how long Frameworks may take to end after the faults")
	flag.DurationVar(&o.killEvery, "kill-every", 4*time.Second, "mean time between kills of the controller")
	flag.DurationVar(&o.serverKill, "kill-server-every", 40*time.Second, "mean time between kills of the API server or etcd; 0 for none")
	flag.DurationVar(&o.removal, "remove-node-every", time.Minute, "mean time from the return of a node to its next removal; 0 for none")
	flag.IntVar(&o.frameworks, "frameworks", 400, "how many Frameworks there are, spread over the time of the faults")
	flag.DurationVar(&o.skew, "skew", 20*time.Second, "by how much the clock of each controller is wrong at most; 0 for right clocks")
	flag.BoolVar(&o.rehearse, "rehearse", true, "let the same Frameworks live without faults first, and compare how they end")
	flag.BoolVar(&o.calm, "calm", false, "no faults")
	flag.StringVar(&o.binary, "controller", filepath.Join("bin", "frameworkcontroller"), "the controller, beside plugins/")
	flag.StringVar(&o.out, "out", filepath.Join("bin", "chaos"), "folder for history, audit log and the controller's log; it is emptied first")
	flag.StringVar(&o.judge, "judge", "", "folder that an earlier run has left; nothing runs then but the checker")
	flag.Parse()
	if *quick {
		flag.Visit(func(f *flag.Flag) { delete(quickly, f.Name) }) // flags that were set keep their values
		for name, value := range quickly {
			flag.Set(name, value)
		}
	}
	return o
}
