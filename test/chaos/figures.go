package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// figures count the faults.
type figures struct {
	mu     sync.Mutex
	counts map[string]int
}

func newFigures() *figures { return &figures{counts: map[string]int{}} }

func (f *figures) count(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.counts[what]++
}

func (f *figures) get(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.counts[what]
}

// print writes the counts by group, the part of their names before the colon.
func (f *figures) print(w io.Writer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	groups := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(f.counts)) {
		group, what, _ := strings.Cut(name, ": ")
		groups[group] = append(groups[group], fmt.Sprintf("%s %d", what, f.counts[name]))
	}
	for _, group := range slices.Sorted(maps.Keys(groups)) {
		fmt.Fprintf(w, "%-10s %s\n", group, strings.Join(groups[group], ", "))
	}
}
