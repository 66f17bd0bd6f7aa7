package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// scheduler places the Pods of a cluster: Kubernetes' own by default, or with gangs.
type scheduler string

const (
	plain scheduler = ""
	gangs scheduler = "gang"
)

func schedulerNamed(args []string) (scheduler, error) {
	if len(args) == 0 || args[0] == string(plain) {
		return plain, nil
	}
	if args[0] == string(gangs) {
		return gangs, nil
	}
	return plain, fmt.Errorf("unknown scheduler %q: there is gang, for Kubernetes' own gang scheduling, or none for the usual one", args[0])
}

func (s scheduler) String() string {
	if s == gangs {
		return "gang scheduling"
	}
	return "the usual scheduler"
}

func (s scheduler) componentArgs() map[string][]string {
	if s == gangs {
		return cluster.NativeGangs(cluster.Newest)
	}
	return nil
}

const gangPlugin = "- {name: workload, kind: SchedulerHints, command: hints-workload}"

// configure adds the scheduler's plugin to a configuration.
func (s scheduler) configure(config string) (string, error) {
	if s == plain {
		return config, nil
	}
	return launch.WithPlugins(config, gangPlugin)
}

// remember has schedulerOf know it, in another process.
func (s scheduler) remember(c *cluster.Cluster) error {
	return os.WriteFile(filepath.Join(c.Dir, "scheduler"), []byte(s), 0o644)
}

func schedulerOf(c *cluster.Cluster) (scheduler, error) {
	text, err := os.ReadFile(filepath.Join(c.Dir, "scheduler"))
	if errors.Is(err, fs.ErrNotExist) {
		return plain, nil
	}
	return scheduler(text), err
}
