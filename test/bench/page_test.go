package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var (
	rewrite  = flag.Bool("rewrite", false, "regenerate the table and the picture of docs/performance.md")
	measured = flag.String("measured", "", "with -rewrite: what bench has written, such as ../../bin/bench.json")
)

const (
	measuredFile = "testdata/measured.json"
	pageFile     = "../../docs/performance.md"
	pictureFile  = "../../docs/images/performance.svg"
)

// The page shows the measurements: its table and its picture are generated from testdata/measured.json.
func TestPageShowsWhatWasMeasured(t *testing.T) {
	if *rewrite && *measured != "" {
		keepRows(t, *measured)
	}
	var r report
	text, err := os.ReadFile(measuredFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))

	page.Keep(t, pageFile, page.Generated(t, page.Read(t, pageFile), "measured", r.markdown()), *rewrite)
	page.Keep(t, pictureFile, r.picture(), *rewrite)
}

// keepRows stores the part of a report that the page shows.
func keepRows(t *testing.T, path string) {
	t.Helper()
	var r report
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &r))
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	require.NoError(t, (&report{Time: r.Time, Cores: r.Cores, Rows: r.Rows}).write(measuredFile))
}

// markdown is the table of the page.
func (r *report) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s on %d processors.\n\n", r.Time.Format("2006-01-02"), r.Cores)
	b.WriteString("| Work | Floor | Measured | Ratio | ± | Target |\n|:---- |:---- |:---- |:---- |:---- |:---- |\n")
	for _, row := range r.Rows {
		if row.ForChange {
			continue
		}
		cells := row.cells()
		target := cells[6]
		if target != "" {
			target += ", met: " + cells[7]
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", row.Work, cells[1], cells[2], cells[3], cells[4], target)
	}
	return b.String()
}

// bar is a bar of the picture.
type bar struct {
	label, color string
	seconds      float64
}

// group has the bars of one work.
type group struct {
	title string
	bars  []bar
}

// picture shows the time until all Pods run, for each work that was measured beside Jobs.
func (r *report) picture() string {
	const barHeight, gap, left, width = 26, 8, 190, 560
	groups := r.groups()
	height, longest := 60, 0.0
	for _, g := range groups {
		height += 34 + len(g.bars)*(barHeight+gap)
		for _, one := range g.bars {
			longest = max(longest, one.seconds)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 %d" font-family="system-ui, sans-serif" font-size="14">`+"\n", height)
	fmt.Fprintf(&b, "  <title>Seconds until all Pods run</title>\n  <rect width=\"860\" height=\"%d\" rx=\"8\" fill=\"#fff\"/>\n", height)
	fmt.Fprintf(&b, "  <text x=\"20\" y=\"34\" font-weight=\"bold\">From apply until all Pods run, in seconds</text>\n")
	y := 60
	for _, g := range groups {
		fmt.Fprintf(&b, "  <text x=\"20\" y=\"%d\">%s</text>\n", y+12, g.title)
		y += 24
		for _, one := range g.bars {
			long := int(one.seconds / longest * width)
			fmt.Fprintf(&b, "  <text x=\"%d\" y=\"%d\" text-anchor=\"end\" font-size=\"13\">%s</text>\n", left-10, y+18, one.label)
			fmt.Fprintf(&b, "  <rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" fill=\"%s\"/>\n", left, y, long, barHeight, one.color)
			fmt.Fprintf(&b, "  <text x=\"%d\" y=\"%d\" font-size=\"13\">%.1f</text>\n", left+long+8, y+18, one.seconds)
			y += barHeight + gap
		}
		y += 10
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// groups returns the bars of the works with a row of the Job controller, in the order of the report.
func (r *report) groups() (groups []group) {
	for _, own := range r.Rows {
		job := r.startBeside(own.Start)
		if job == nil {
			continue
		}
		groups = append(groups, group{
			title: fmt.Sprintf("%d × %d Pods", own.Start.Frameworks, own.Start.Tasks),
			bars: []bar{
				{"floor", "#b8c4d0", *own.Floor},
				{"FrameworkController", "#0072b2", *own.Product},
				{"Job controller", "#e69f00", *job.Product},
			},
		})
	}
	return groups
}

// startBeside returns the row of the Job controller for the Pods of a row of the product, or nil.
func (r *report) startBeside(own *start) *row {
	for i, other := range r.Rows {
		if own != nil && own.Side == productSide && other.Start != nil && *other.Start == (start{own.Frameworks, own.Tasks, jobSide}) {
			return &r.Rows[i]
		}
	}
	return nil
}
