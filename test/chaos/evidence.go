package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// check lets the checker look at everything up to now, and at the state when all had settled. It returns the problems.
func (s *stage) check(settled checker.History) (problems []string) {
	requests, err := checker.ReadAudit(s.path("audit.log"))
	if err != nil {
		return []string{err.Error()}
	}
	whole := s.recorder.History()
	if err := s.recorder.Err(); err != nil {
		problems = append(problems, err.Error())
	}
	whole.Requests, settled.Requests = requests, requests
	if err := save(s.path("history.json.gz"), whole); err != nil {
		problems = append(problems, err.Error())
	}
	problems = append(problems, examine(whole)...)
	for _, v := range checker.Check(settled, checker.Options{Settled: true}).Violations {
		if v.Guarantee == checker.FlagEnds {
			problems = append(problems, v.String())
		}
	}
	return problems
}

// examine prints the figures, and returns the violations.
func examine(h checker.History) (problems []string) {
	report := checker.Check(h, checker.Options{ShadowWords: shadowWords})
	fmt.Printf("%-10s %d, of %d versions and %d requests; %d violations, %d undecided in %d gaps\n", "checks", report.Total(),
		len(h.Observations), len(h.Requests), len(report.Violations), len(report.Undecided), len(h.Gaps))
	for _, g := range slices.Sorted(maps.Keys(report.Checks)) {
		fmt.Printf("           %-4s %d\n", g, report.Checks[g])
	}
	for _, v := range report.Undecided {
		fmt.Println("undecided ", v)
	}
	for _, v := range report.Violations {
		problems = append(problems, v.String())
	}
	return problems
}

// checkAgain looks again at what an earlier run has left.
func checkAgain(_ context.Context, o options) error {
	h, err := load(filepath.Join(o.judge, "history.json.gz"))
	if err != nil {
		return err
	}
	if h.Requests, err = checker.ReadAudit(filepath.Join(o.judge, "audit.log")); err != nil {
		return err
	}
	if problems := examine(h); len(problems) > 0 {
		return fmt.Errorf("%d problems:\n%s", len(problems), strings.Join(problems, "\n"))
	}
	return nil
}

func load(path string) (h checker.History, err error) {
	file, err := os.Open(path)
	if err != nil {
		return h, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return h, err
	}
	return h, json.NewDecoder(packed).Decode(&h)
}

// keepLogs copies the logs of the cluster's components, which go with it otherwise.
func (s *stage) keepLogs() {
	logs, _ := filepath.Glob(filepath.Join(s.cluster.Dir, "clusters", "*", "logs", "*.log"))
	for _, log := range logs {
		if text, err := os.ReadFile(log); err == nil {
			os.WriteFile(s.path("cluster-"+filepath.Base(log)), text, 0o644)
		}
	}
}

// save writes the history, for checkAgain, without the requests, which the audit log has.
func save(path string, h checker.History) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	h.Requests = nil
	packed := gzip.NewWriter(file)
	if err := json.NewEncoder(packed).Encode(h); err != nil {
		return err
	}
	return packed.Close()
}
