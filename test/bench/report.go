package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report has the results of bench.
type report struct {
	Time   time.Time  `json:"time"`
	Cores  int        `json:"cores"`
	Rows   []row      `json:"rows"`
	Runs   []workRuns `json:"runs"`
	Plugin []speed    `json:"plugin"` // the default classifier
	Gangs  []gangRuns `json:"gangs"`  // gangs that wait at the barrier

	Neighbours    *neighbours      `json:"neighbours,omitempty"`
	Suspension    *suspensionRuns  `json:"suspension,omitempty"`
	Admission     *admissionRuns   `json:"admission,omitempty"`
	Retries       *retryRuns       `json:"retries,omitempty"`
	SingleRetries *singleRetryRuns `json:"singleRetries,omitempty"`
	Array         *arrayRuns       `json:"array,omitempty"`
}

// workRuns are the samples of one work; samples of different sides with the same index belong together. Times are in seconds.
type workRuns struct {
	Work    string   `json:"work"`
	Floor   []sample `json:"floor"`
	Product []sample `json:"product"`
	Plugins []sample `json:"plugins,omitempty"` // the product with its default plugins
	History []sample `json:"history,omitempty"` // the product with a history in SQLite
	Before  []sample `json:"before,omitempty"`  // another build of the product
	Least   []sample `json:"least,omitempty"`   // the requests that every controller has to make, to Running
	Job     []sample `json:"job,omitempty"`     // Kubernetes' own Job controller

	work work
}

// row is one line of the table. Absent numbers are null.
type row struct {
	Work    string   `json:"work"`
	Unit    string   `json:"unit"`  // for floor and product; empty for plain numbers
	Floor   *float64 `json:"floor"` // the side that the product is compared with
	Product *float64 `json:"product"`
	Ratio   *float64 `json:"ratio"`
	// Lowest and Highest are the ratios of single rounds. Ratio is taken over the totals of all rounds.
	Lowest  *float64 `json:"lowestRatio,omitempty"`
	Highest *float64 `json:"highestRatio,omitempty"`
	// Error is the standard error of Ratio; absent if there was one round only.
	Error *float64 `json:"ratioError,omitempty"`
	// Target is the most that the ratio may be, or the product itself if there is no floor.
	Target *float64 `json:"target"`
	// AtLeast makes it the least.
	AtLeast bool  `json:"atLeast,omitempty"`
	Met     *bool `json:"met"`
	// ForChange marks a row that is for the author of a change: it compares builds, or times at one speed.
	ForChange bool `json:"forChange,omitempty"`
	// Start is set if the row is the time until all Pods run.
	Start *start `json:"start,omitempty"`
}

// start names the started Pods, and the side that started them.
type start struct {
	Frameworks int    `json:"frameworks"`
	Tasks      int    `json:"tasks"` // per Framework
	Side       string `json:"side"`
}

func newReport() *report { return &report{Time: time.Now().UTC(), Cores: runtime.NumCPU()} }

func (r *report) addRuns(w work, runs map[string]sample) {
	last := len(r.Runs) - 1
	if last < 0 || r.Runs[last].work != w {
		r.Runs = append(r.Runs, workRuns{Work: w.String(), work: w})
		last++
	}
	all := &r.Runs[last]
	all.Floor, all.Product = append(all.Floor, runs[floorSide]), append(all.Product, runs[productSide])
	if w.plugins {
		all.Plugins = append(all.Plugins, runs[pluginsSide])
	}
	if w.history {
		all.History = append(all.History, runs[historySide])
	}
	if run, ok := runs[beforeSide]; ok {
		all.Before = append(all.Before, run)
	}
	if w.besideJobs {
		all.Job = append(all.Job, runs[jobSide])
	}
	if w.many() {
		all.Least = append(all.Least, runs[leastSide])
	}
}

// The speed to reach.
const (
	startTarget      = 1.25
	largeStartTarget = 1.3
	endTarget        = 1.5
	cpuTarget        = 2.5   // seconds, for 1 Framework of 1,000 Tasks
	memoryTarget     = 300.0 // MiB, for the large one
	stepTarget       = 5.0   // milliseconds
)

// addStep enters how long the core's step takes.
func (r *report) addStep(took time.Duration) {
	ms := float64(took) / float64(time.Millisecond)
	r.Rows = append(r.Rows, absolute(fmt.Sprintf("the core's step on %d Tasks, one Pod changed", largeTasks), "ms", ms).within(stepTarget))
}

// summarise makes rows of the runs.
func (r *report) summarise() {
	for _, runs := range r.Runs {
		r.Rows = append(r.Rows, slices.Concat(runs.rows(), runs.leastRows(), runs.jobRows(), runs.evenRows(), runs.pluginRows(), runs.historyRows(), runs.beforeRows())...)
	}
}

func (w workRuns) rows() []row {
	name := func(what string) string { return w.Work + ": " + what }
	limit := startTarget
	if w.work.tasks >= largeTasks {
		limit = largeStartTarget
	}
	of := func(f func(sample) float64) float64 { return median(w.Product, f) }
	rows := []row{
		w.compare(name("apply -> all created"), func(r sample) float64 { return float64(r.Created) }),
		w.compare(name("apply -> all Running"), func(r sample) float64 { return float64(r.Running) }).within(limit).startOf(w.work, productSide),
		absolute(name("apply -> all counted in the status"), "s", of(func(r sample) float64 { return float64(r.Counted) })),
		w.compare(name("all succeeded -> Completed, Pods gone"), func(r sample) float64 { return float64(r.End) }).within(endTarget),
		w.compare(name("CPU of the control plane"), sample.controlPlaneCPU),
	}
	cpu := absolute(name("controller CPU, whole life"), "s", of(func(r sample) float64 { return r.CPU[controllerName] }))
	memory := absolute(name("controller peak memory"), "MiB", of(func(r sample) float64 { return r.PeakMiB }))
	switch {
	case w.work.tasks >= largeTasks:
		memory = memory.within(memoryTarget)
	case w.work.frameworks == 1 && w.work.tasks == 1000:
		cpu = cpu.within(cpuTarget)
	}
	return append(rows, cpu, memory,
		absolute(name("Framework status writes"), "", of(func(r sample) float64 { return float64(r.Requests[statusWrites]) })),
		absolute(name("bytes of them"), "MiB", of(func(r sample) float64 { return r.WriteMiB })))
}

// leastRows show how near to the floor a controller can come, if that was measured.
func (w workRuns) leastRows() []row {
	if len(w.Least) == 0 {
		return nil
	}
	return []row{compare(w.Work+": apply -> all Running, by the least requests", w.Floor, w.Least, func(r sample) float64 { return float64(r.Running) })}
}

func (w workRuns) compare(what string, f func(sample) float64) row {
	return compare(what, w.Floor, w.Product, f)
}

// compare takes the ratio over all rounds. Even the floor compared with itself differs by a fifth from one round to the next, so it takes
// several rounds, and each of them counts.
func compare[T any](what string, below, above []T, f func(T) float64) row {
	var belows, aboves, ratios []float64
	for i := range below {
		b, a := f(below[i]), f(above[i])
		belows, aboves = append(belows, b), append(aboves, a)
		if b > 0 {
			ratios = append(ratios, a/b)
		}
	}
	out := absolute(what, "s", median(above, f))
	out.Floor = new(median(below, f))
	if len(ratios) < len(below) {
		return out // a round that measured nothing below gives no ratio
	}
	ratio, err := ratioOfTotals(belows, aboves)
	out.Ratio, out.Lowest, out.Highest = &ratio, new(slices.Min(ratios)), new(slices.Max(ratios))
	if len(below) > 1 {
		out.Error = &err
	}
	return out
}

func absolute(what, unit string, product float64) row {
	return row{Work: what, Unit: unit, Product: &product}
}

func (r row) forChange() row {
	r.ForChange = true
	return r
}

func (r row) startOf(w work, side string) row {
	r.Start = &start{Frameworks: w.frameworks, Tasks: w.tasks, Side: side}
	return r
}

// within sets the target: of the ratio, if there is a floor.
func (r row) within(target float64) row {
	r.Target = &target
	measured := r.Product
	if r.Floor != nil {
		measured = r.Ratio
	}
	if measured != nil {
		r.Met = new(*measured <= target)
	}
	return r
}

// atLeast sets a target that is not to be missed from below.
func (r row) atLeast(target float64) row {
	r.Target, r.AtLeast, r.Met = &target, true, new(*r.Product >= target)
	return r
}

func median[T any](all []T, f func(T) float64) float64 {
	var values []float64
	for _, one := range all {
		values = append(values, f(one))
	}
	slices.Sort(values)
	middle := len(values) / 2
	if len(values)%2 == 0 {
		return (values[middle-1] + values[middle]) / 2
	}
	return values[middle]
}

func (r *report) print(out io.Writer) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "work\tfloor\tproduct\tratio\t+-\tof rounds\ttarget\tmet")
	for _, row := range r.Rows {
		fmt.Fprintln(table, strings.Join(row.cells(), "\t"))
	}
	table.Flush()
	fmt.Fprintln(out, "floor and product are medians of the rounds, ratio is that of their totals, +- its standard error")
	fmt.Fprintf(out, "%d cores, of which other programs took %s\n", r.Cores, r.disturbance())
}

func (r row) cells() []string {
	target, met := "", ""
	if r.Target != nil {
		target, met = number(r.Target, r.Unit), "yes"
		if r.Floor != nil {
			target = number(r.Target, "x")
		}
		if r.AtLeast {
			target = "at least " + target
		}
		if r.Met == nil {
			met = "unknown"
		} else if !*r.Met {
			met = "no"
		}
	}
	return []string{r.Work, number(r.Floor, r.Unit), number(r.Product, r.Unit), number(r.Ratio, "x"), r.uncertainty(), r.spread(), target, met}
}

// uncertainty is the standard error: the ratio of many more rounds would be that near in more than half of the cases.
func (r row) uncertainty() string {
	if r.Error == nil {
		return ""
	}
	return fmt.Sprintf("%.2f", *r.Error)
}

// spread gives the range of the ratios of the single rounds.
func (r row) spread() string {
	if r.Error == nil {
		return ""
	}
	return fmt.Sprintf("%.2f to %.2f", *r.Lowest, *r.Highest)
}

func number(n *float64, unit string) string {
	switch {
	case n == nil:
		return "-"
	case unit == "":
		return fmt.Sprintf("%.0f", *n)
	}
	return fmt.Sprintf("%.2f %s", *n, unit)
}

// disturbance reports how much other programs have slowed down the measurements.
func (r *report) disturbance() string {
	least, most := 1.0, 0.0
	for _, w := range r.Runs {
		for _, one := range slices.Concat(w.Floor, w.Product, w.Plugins, w.History, w.Before, w.Least, w.Job) {
			least, most = min(least, one.Others), max(most, one.Others)
		}
	}
	for _, one := range r.Plugin {
		least, most = min(least, one.Others), max(most, one.Others)
	}
	for _, g := range r.Gangs {
		for _, one := range slices.Concat(g.Floor, g.Product) {
			least, most = min(least, one.Others), max(most, one.Others)
		}
	}
	return fmt.Sprintf("%.0f %% to %.0f %%", 100*least, 100*most)
}

func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
