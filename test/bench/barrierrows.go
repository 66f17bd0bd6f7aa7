package main

import (
	"fmt"
	"slices"
)

// The speed of barriers to reach.
const (
	gangP99Target    = 1.0  // seconds, for 300 Tasks
	gangFloorTarget  = 2.0  // for 1,000 Tasks, relative to bare watches
	gangMemoryTarget = 20.0 // MiB
)

// addBarriers makes rows of the runs with gangs.
func (r *report) addBarriers() {
	for _, runs := range r.Gangs {
		r.Rows = slices.Concat(r.Rows, runs.rows(), runs.beforeRows())
	}
}

func (g gangRuns) rows() []row {
	name := func(what string) string { return fmt.Sprintf("gang of %d: %s", g.Tasks, what) }
	of := func(f func(gangRun) float64) float64 { return median(g.Product, f) }
	p50 := func(r gangRun) float64 { return float64(r.P50) }
	p99 := func(r gangRun) float64 { return float64(r.P99) }
	last := func(r gangRun) float64 { return float64(r.Last) }
	release := func(r gangRun) float64 { return r.Releasing[apiServerName] }
	memory := of(func(r gangRun) float64 { return r.PeakMiB })
	rows := []row{
		compare(name("last address -> half of the barriers ended"), g.Floor, g.Product, p50),
		compare(name("last address -> 99 of 100 ended"), g.Floor, g.Product, p99),
		compare(name("last address -> all ended"), g.Floor, g.Product, last),
		compare(name("API server's CPU for the release"), g.Floor, g.Product, release),
		absolute(name("API server's CPU while they wait, of a core"), "%", of(func(r gangRun) float64 { return 100 * r.Waiting })),
		absolute(name("CPU of one barrier"), "ms", of(func(r gangRun) float64 { return 1000 * float64(r.Each) })),
		absolute(name("peak memory of a waiting barrier"), "MiB", memory).within(gangMemoryTarget),
	}
	switch g.Tasks {
	case 300:
		rows = append(rows, absolute(name("99 of 100 ended, in time"), "s", of(p99)).within(gangP99Target))
	case 1000:
		rows[1] = rows[1].within(gangFloorTarget)
	}
	return rows
}

// beforeRows compare the barrier with another build, which then fills the floor column.
func (g gangRuns) beforeRows() []row {
	if len(g.Before) == 0 {
		return nil
	}
	against := func(what, unit string, f func(gangRun) float64) row {
		r := compare(fmt.Sprintf("gang of %d: %s, against before", g.Tasks, what), g.Before, g.Product, f)
		r.Unit = unit
		return r.forChange()
	}
	return []row{
		against("last address -> half of the barriers ended", "s", func(r gangRun) float64 { return float64(r.P50) }),
		against("last address -> 99 of 100 ended", "s", func(r gangRun) float64 { return float64(r.P99) }),
		against("last address -> all ended", "s", func(r gangRun) float64 { return float64(r.Last) }),
		against("CPU of one barrier", "ms", func(r gangRun) float64 { return 1000 * float64(r.Each) }),
		against("peak memory of a waiting barrier", "MiB", func(r gangRun) float64 { return r.PeakMiB }),
	}
}
