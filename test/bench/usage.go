package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// cpu is how many seconds of processor time each process has used, by its name.
type cpu map[string]float64

func (after cpu) since(before cpu) cpu {
	out := cpu{}
	for name, seconds := range after {
		out[name] = seconds - before[name]
	}
	return out
}

func (c cpu) total() float64 {
	sum := 0.0
	for _, seconds := range c {
		sum += seconds
	}
	return sum
}

// componentCPU is the processor time of the control plane's processes.
func componentCPU(c *cluster.Cluster) (cpu, error) {
	files, err := filepath.Glob(filepath.Join(c.Dir, "clusters", "*", "pids", "*.pid"))
	if err != nil {
		return nil, err
	}
	out := cpu{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if out[strings.TrimSuffix(filepath.Base(file), ".pid")], err = processCPU(pid); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// ticks are the units of /proc/<pid>/stat in a second, on every Linux platform that Go supports.
const ticks = 100

// processCPU returns the seconds of user and system time that a process has used.
func processCPU(pid int) (float64, error) {
	fields, err := stat(pid)
	if err != nil {
		return 0, err
	}
	user, err1 := strconv.ParseFloat(fields[11], 64)
	system, err2 := strconv.ParseFloat(fields[12], 64)
	if err1 != nil || err2 != nil {
		return 0, fmt.Errorf("reading the processor time of process %d: %q", pid, fields)
	}
	return (user + system) / ticks, nil
}

// exactCPU returns the same as processCPU, but not in whole ticks of 10 ms. A barrier takes one or two ticks, so half of the time of a
// thousand barriers would be missing. The time of ended threads is missing here.
func exactCPU(pid int) (sum float64, err error) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // fails for bad patterns only
	for _, path := range threads {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		took, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		sum += time.Duration(took).Seconds()
	}
	if len(threads) == 0 {
		return 0, fmt.Errorf("there is no process %d", pid)
	}
	return sum, nil
}

// stat returns the kernel's status of a process: its state, its parent, and as number 11 and 12 its utime and stime.
func stat(pid int) ([]string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil, err
	}
	// They follow its number, and its name in brackets, which may contain spaces.
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:])), nil
}

// children are the processes that a process has started, and that have not ended.
func children(parent int) (pids []int, err error) {
	all, err := os.ReadDir("/proc")
	for _, entry := range all {
		pid, notProcess := strconv.Atoi(entry.Name())
		if notProcess != nil {
			continue
		}
		if fields, gone := stat(pid); gone == nil && fields[0] != "Z" && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// peakMiB returns the most memory that a process has had resident.
func peakMiB(pid int) (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("process %d has no VmHWM", pid)
}

// machine is how many seconds all processors together have been busy, and how many they have had.
type machine struct{ busy, all float64 }

// readMachine adds up the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Time taken by other guests of
// the same host (steal) counts as busy: we did not get it.
func readMachine() (m machine, err error) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return m, err
	}
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line)[1:9] {
		value, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return m, fmt.Errorf("/proc/stat: %w", err)
		}
		m.all += value / ticks
		if i != 3 && i != 4 {
			m.busy += value / ticks
		}
	}
	return m, nil
}

// others returns the share of the machine that others have taken since; ours is the time that we have used ourselves.
func (after machine) others(before machine, ours float64) float64 {
	return max(0, after.busy-before.busy-ours) / (after.all - before.all)
}

// settle waits until the control plane has finished its work for earlier measurements, or some seconds.
func settle(ctx context.Context, c *cluster.Cluster) error {
	const look, idle, most = 500 * time.Millisecond, 0.2, 20 * time.Second // idle is in cores
	before, err := componentCPU(c)
	for start := time.Now(); err == nil && time.Since(start) < most; {
		select {
		case <-time.After(look):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		var after cpu
		if after, err = componentCPU(c); err == nil && after.since(before).total() < idle*look.Seconds() {
			return nil
		}
		before = after
	}
	return err
}
