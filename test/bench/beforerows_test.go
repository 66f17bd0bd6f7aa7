package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBeforeRowsCompareBuildsRoundByRound(t *testing.T) {
	runs := workRuns{Work: "1 x 10", Product: []sample{{Running: 3, WriteMiB: 1}, {Running: 3, WriteMiB: 1}}}
	if rows := runs.beforeRows(); len(rows) != 0 {
		t.Errorf("%d rows without a build to compare with", len(rows))
	}
	runs.Before = []sample{{Running: 2, WriteMiB: 2}, {Running: 4, WriteMiB: 2}}
	for i := range runs.Product { // the machine was half as fast for the product
		runs.Product[i].ToRun.CPU, runs.Before[i].ToRun.CPU = cpu{"kwok-controller": 2}, cpu{"kwok-controller": 1}
	}
	rows := runs.beforeRows()
	ratios := map[string]float64{}
	for _, row := range rows {
		if row.Ratio != nil {
			ratios[row.Work] = *row.Ratio
		}
	}
	for work, want := range map[string]float64{
		"1 x 10: apply -> all Running, against before":               1,
		"1 x 10: apply -> all Running, at one speed, against before": 0.5,
		"1 x 10: bytes of them, against before":                      0.5,
	} {
		if ratios[work] != want {
			t.Errorf("%s: ratio %v instead of %v", work, ratios[work], want)
		}
	}
}

func TestBuildBeforeIsMeasuredWhenAskedFor(t *testing.T) {
	for _, before := range []string{"", "somewhere"} {
		found := false
		for _, s := range (&bench{options: options{before: before}}).sides(work{frameworks: 1, tasks: 1}, 0) {
			found = found || s.name == beforeSide
		}
		if found != (before != "") {
			t.Errorf("-before %q: measured: %v", before, found)
		}
	}
}

func TestBarrierOfAnotherBuildIsMeasuredWhenAskedFor(t *testing.T) {
	for _, before := range []string{"", "somewhere"} {
		programs, err := (&bench{options: options{barrier: "bin/x", beforeBarrier: before}}).gangPrograms("bare")
		require.NoError(t, err)
		runs := gangRuns{Tasks: 10}
		for i, program := range programs {
			runs.add(program.side, gangRun{Last: seconds(i + 1)})
		}
		rows := runs.beforeRows()
		if before == "" {
			require.Empty(t, rows)
			continue
		}
		require.Equal(t, "gang of 10: last address -> all ended, against before", rows[2].Work)
		require.InDelta(t, 2.0/3, *rows[2].Ratio, 1e-9) // the product was second, the other build third
	}
}
