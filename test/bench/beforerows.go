package main

import "context"

// before runs the Frameworks of a work with the controller that the product is compared with.
func (b *bench) before(ctx context.Context, w work) (sample, error) {
	other := *b
	other.options.controller = b.options.before
	return other.productAs(ctx, w, withoutPlugins(b.config))
}

// beforeRows compare the product with another build of it, such as the one before a change, which then fills the floor column.
func (w workRuns) beforeRows() []row {
	if len(w.Before) == 0 {
		return nil
	}
	against := func(what, unit string, f func(sample) float64) row {
		r := compare(w.Work+": "+what+", against before", w.Before, w.Product, f)
		r.Unit = unit
		return r.forChange()
	}
	return []row{
		against("apply -> all Running", "s", func(r sample) float64 { return float64(r.Running) }),
		against("all succeeded -> Completed, Pods gone", "s", func(r sample) float64 { return float64(r.End) }),
		against("apply -> all Running, at one speed", "s", w.evenRunning()),
		against("all succeeded -> Completed, Pods gone, at one speed", "s", w.evenEnd()),
		against("controller CPU, whole life", "s", func(r sample) float64 { return r.CPU[controllerName] }),
		against("CPU of the control plane", "s", sample.controlPlaneCPU),
		against("controller peak memory", "MiB", func(r sample) float64 { return r.PeakMiB }),
		against("requests", "", func(r sample) float64 { return float64(r.requests()) }),
		against("Framework status writes", "", func(r sample) float64 { return float64(r.Requests[statusWrites]) }),
		against("bytes of them", "MiB", func(r sample) float64 { return r.WriteMiB }),
	}
}

// requests are all that the API server answered, of every client.
func (r sample) requests() (all int) {
	for _, n := range r.Requests {
		all += n
	}
	return all
}
