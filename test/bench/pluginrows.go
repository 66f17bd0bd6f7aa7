package main

// The speed of plugins to reach.
const (
	roundTripTarget    = 300.0  // microseconds, the median
	roundTripP99Target = 3.0    // milliseconds
	verdictsTarget     = 5000.0 // per second, at least
	pluginsTarget      = 1.05   // for 1 Framework of 1,000 Tasks, with the default plugins compared with none
)

// addPlugin enters how fast the default classifier is.
func (r *report) addPlugin() {
	of := func(f func(speed) float64) float64 { return median(r.Plugin, f) }
	r.Rows = append(r.Rows,
		absolute("classifier plugin: round trip, median", "µs", of(func(s speed) float64 { return 1e6 * s.Median })).within(roundTripTarget),
		absolute("classifier plugin: round trip, 99th percentile", "ms", of(func(s speed) float64 { return 1e3 * s.P99 })).within(roundTripP99Target),
		absolute("classifier plugin: verdicts per second", "", of(func(s speed) float64 { return s.Rate })).atLeast(verdictsTarget))
}

// life is how long it takes from the first request until all Pods are gone and all Frameworks completed.
func (r sample) life() float64 { return float64(r.Counted + r.End) }

// pluginRows compare the runs with and without the default plugins, if there are any.
func (w workRuns) pluginRows() []row {
	if len(w.Plugins) == 0 {
		return nil
	}
	life := compare(w.Work+": apply -> Completed, default plugins against none", w.Product, w.Plugins, sample.life)
	if w.work.tasks == 1000 {
		life = life.within(pluginsTarget)
	}
	return []row{life}
}
