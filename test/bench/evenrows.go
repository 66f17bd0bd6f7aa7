package main

import "slices"

// evenRows give the times as they would have been had the machine been equally fast in every run. Where others share its processors, the
// same work takes up to half as much processor time again from one minute to the next, and the differences compared here are smaller than
// that. The scheduler and the simulated nodes do the same in all runs of a work, because the Pods are the same, so their processor time
// shows how fast the machine was.
func (w workRuns) evenRows() []row {
	rows := []row{
		w.compare(w.Work+": apply -> all Running, at one speed", w.evenRunning()).forChange(),
		w.compare(w.Work+": all succeeded -> Completed, Pods gone, at one speed", w.evenEnd()).forChange(),
	}
	if len(w.Least) > 0 {
		rows = append(rows, compare(w.Work+": apply -> all Running, by the least requests, at one speed", w.Floor, w.Least, w.evenRunning()).forChange())
	}
	return rows
}

func (w workRuns) evenRunning() func(sample) float64 {
	return w.even(func(r sample) (seconds, float64) { return r.Running, r.ToRun.CPU.ofNodes() })
}

func (w workRuns) evenEnd() func(sample) float64 {
	return w.even(func(r sample) (seconds, float64) { return r.End, r.CPU.ofNodes() - r.ToRun.CPU.ofNodes() })
}

// even scales times to the usual speed of the machine.
func (w workRuns) even(measure func(sample) (took seconds, nodes float64)) func(sample) float64 {
	usual := median(slices.Concat(w.Floor, w.Product), func(r sample) float64 {
		_, nodes := measure(r)
		return nodes
	})
	return func(r sample) float64 {
		took, nodes := measure(r)
		return float64(took) * usual / nodes
	}
}

// ofNodes is the part that does not depend on who runs the Pods.
func (c cpu) ofNodes() float64 { return c["kwok-controller"] + c["kube-scheduler"] }
