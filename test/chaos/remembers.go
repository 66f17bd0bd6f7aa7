package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
)

// remembers compares the histories with the observations, once all records have arrived.
func (s *stage) remembers(ctx context.Context) (problems []string) {
	for _, h := range s.histories {
		var c checker.Comparison
		wrong := s.awaitMemory(ctx, h, func(m checker.Remembered) []string {
			h := s.recorder.History()
			c = m.Check(h, !s.calm)
			return append(c.Wrong, m.CheckDeletions(h)...)
		})
		fmt.Printf("history    %s: %d attempts and verdicts were looked for, %d are wrong, %d were not seen, in gaps\n", h.name, c.Looked, len(wrong), c.Undecided)
		problems = append(problems, wrong...)
	}
	return problems
}

// remembersDeletions requires that the histories show the end of each Framework that is gone, also if no controller has seen it.
func (s *stage) remembersDeletions(ctx context.Context) (problems []string) {
	for _, h := range s.histories {
		deleted := 0
		wrong := s.awaitMemory(ctx, h, func(m checker.Remembered) []string {
			deleted = m.DeletedUnseen()
			return m.CheckDeletions(s.recorder.History())
		})
		fmt.Printf("history    %s: %d Frameworks were deleted without a controller that recorded it\n", h.name, deleted)
		problems = append(problems, wrong...)
	}
	return problems
}

// awaitMemory returns the problems that a history has in the end, and keeps the whole history if there are any.
func (s *stage) awaitMemory(ctx context.Context, h *historySite, compare func(checker.Remembered) []string) (problems []string) {
	// m is the last history that was read whole, and wrong are its differences.
	var m checker.Remembered
	var wrong []string
	err := s.await(ctx, s.patience, func(ctx context.Context) error {
		next, err := checker.Remember(ctx, h.url(), "")
		if err != nil {
			return err
		}
		if m, wrong = next, compare(next); len(wrong) > 0 {
			return fmt.Errorf("%d differences", len(wrong))
		}
		return nil
	})
	if err == nil {
		return nil
	}
	if text, err := json.Marshal(m); err == nil {
		os.WriteFile(s.path(h.name+".json"), text, 0o644)
	}
	if len(wrong) == 0 {
		wrong = []string{err.Error()}
	}
	for _, each := range wrong {
		problems = append(problems, h.name+": "+each)
	}
	return problems
}
