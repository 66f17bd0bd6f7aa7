package pluginhost

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// memoryOf returns the bytes of a process and its descendants that only their end frees, without memory that can be
// read again from files. Descendants that have ended, or have another parent now, count 0.
func memoryOf(pid int) int64 {
	if pid == 0 {
		return 0
	}
	sum := ownMemory(pid)
	for _, child := range childrenOf(pid) {
		sum += memoryOf(child)
	}
	return sum
}

// held are the fields of /proc/<pid>/status that count, in KiB.
var held = []string{"RssAnon:", "RssShmem:", "VmSwap:"}

func ownMemory(pid int) (sum int64) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		for _, part := range held {
			if value, ok := strings.CutPrefix(line, part); ok {
				n, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
				sum += n << 10
			}
		}
	}
	return sum
}

// childrenOf returns the processes started by any thread of the process; none if the kernel does not list them.
func childrenOf(pid int) (children []int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				children = append(children, child)
			}
		}
	}
	return children
}
