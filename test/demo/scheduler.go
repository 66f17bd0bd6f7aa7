package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// scheduler is what places Pods on a cluster: Kubernetes' own as it comes, or with gangs.
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

const gangPlugin = `
plugins:
- name: workload
  kind: SchedulerHints
  command: hints-workload
`

// configure adds the scheduler's plugin to a configuration.
func (s scheduler) configure(config string) (string, error) {
	if s == plain {
		return config, nil
	}
	with := strings.Replace(config, "\nplugins:\n", gangPlugin, 1)
	if with == config {
		return "", errors.New("the configuration has no list of plugins to add one to")
	}
	return with, nil
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
