package kubectl

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// groupings are the values of --by; a label is named after the last one.
var groupings = []string{"namespace", "code", "node", "role", "rule"}

const byLabel = "label:"

type reporting struct {
	historyFlags
	by        string
	format    string
	noHeaders bool
}

// report is the document that -o json prints.
type report struct {
	answerDocument
	historyapi.Report
}

func (c *caller) report() *cobra.Command {
	r := &reporting{historyFlags: historyFlags{caller: c}}
	cmd := &cobra.Command{
		Use:   "report [-A] [--since 30d] [--by namespace|code|node|role|rule|label:KEY]",
		Short: "Report the time and the resources of Tasks, and the share lost to retries",
		Long: `Report the time and the resources of Tasks, and the share lost to retries.

Each line sums up the attempts of Tasks in a group that ended in the time range. RUN is their time on nodes, WAIT the time before it, and
LOST the part of RUN in attempts that were followed by a retry, of the Task or of its Framework. LOST% is the share of LOST in RUN, and
OF-ALL% its share in the RUN of all groups. The last columns multiply RUN by the requests: cores, GiB of memory, or devices, in hours.
They count requests, not usage.`,
		Args: cobra.NoArgs,
		RunE: r.run,
	}
	r.addFlags(cmd, "30d")
	f := cmd.Flags()
	f.StringVar(&r.by, "by", "namespace", "Group by "+alternatives(append(slices.Clone(groupings), byLabel+"KEY"))+", a label of Frameworks.")
	f.StringVarP(&r.format, "output", "o", "", "Output format: json or csv.")
	f.BoolVar(&r.noHeaders, "no-headers", false, "Do not print the column headers.")
	complete := func(cmd *cobra.Command, flag string, words ...string) {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	}
	complete(cmd, "by", groupings...)
	complete(cmd, "output", "json", "csv")
	return cmd
}

func (r *reporting) run(cmd *cobra.Command, _ []string) error {
	key, isLabel := strings.CutPrefix(r.by, byLabel)
	if !slices.Contains(groupings, r.by) && (!isLabel || key == "") {
		return fmt.Errorf("--by %q: use %s", r.by, alternatives(append(slices.Clone(groupings), byLabel+"KEY")))
	}
	out := output{format: r.format, allowed: []string{"json", "csv"}}
	if err := out.check(); err != nil {
		return err
	}
	p, err := r.connect(cmd.Context())
	if err != nil {
		return err
	}
	defer p.Close()
	got, err := p.Report(cmd.Context(), r.by, p.filter())
	switch {
	case err != nil:
		return p.inPlainWords(err)
	case out.isDocument():
		return out.print(r.caller, report{answerDocument{documentVersion, "Report"}, got})
	case r.format == "csv":
		return r.printCSV(&got)
	case len(got.Rows) == 0:
		_, err := fmt.Fprintf(r.ErrOut, "No attempts of Tasks ended %s in the last %s.\n", p.where(), &r.since)
		return err
	}
	return r.printTable(&got)
}

func (r *reporting) printTable(of *historyapi.Report) error {
	resources := resourcesOf(of.Rows)
	t := table{columns: []column{{name: "Group"}, {name: "Attempts"}, {name: "Failed"}, {name: "Run"}, {name: "Wait"}, {name: "Lost"}, {name: "Lost%"}, {name: "Of-all%"}}, noHeaders: r.noHeaders}
	for _, name := range resources {
		t.columns = append(t.columns, column{name: onOneLine(hoursOf(name))})
	}
	rows, all := of.Rows, totalOf(of.Rows)
	if len(rows) > 1 {
		rows = append(slices.Clone(rows), all)
	}
	for i := range rows {
		row := &rows[i]
		cells := []any{cmp.Or(r.groupName(row.Group), "<none>"), row.Attempts, row.Failed, hours(row.RunSeconds), hours(row.WaitSeconds), hours(row.LostSeconds),
			share(row.LostSeconds, row.RunSeconds), share(row.LostSeconds, all.RunSeconds)}
		for _, name := range resources {
			cells = append(cells, fmt.Sprintf("%.1f", inHours(name, row.ResourceSeconds[name])))
		}
		t.add(cells...)
	}
	return t.print(r.Out)
}

// groupName adds the phrase to a code that always has the same one.
func (r *reporting) groupName(group string) string {
	code, err := strconv.ParseInt(group, 10, 32)
	if r.by != "code" || err != nil || !completion.IsReserved(completion.Code(code)) {
		return group
	}
	for _, e := range completion.Table() {
		if e.Code == completion.Code(code) {
			return group + " " + e.Phrase
		}
	}
	return group
}

// totalGroup is in brackets, which neither names nor values of labels have.
const totalGroup = "[total]"

func totalOf(rows []historyapi.ReportRow) historyapi.ReportRow {
	all := historyapi.ReportRow{Group: totalGroup, ResourceSeconds: map[string]float64{}}
	for _, r := range rows {
		all.Attempts += r.Attempts
		all.Failed += r.Failed
		all.RunSeconds += r.RunSeconds
		all.WaitSeconds += r.WaitSeconds
		all.LostSeconds += r.LostSeconds
		for name, seconds := range r.ResourceSeconds {
			all.ResourceSeconds[name] += seconds
		}
	}
	return all
}

// resourcesOf returns the names of the resources in a report: cores, memory, and then the others.
func resourcesOf(rows []historyapi.ReportRow) []string {
	found := map[string]bool{}
	for _, r := range rows {
		for name, seconds := range r.ResourceSeconds {
			if seconds > 0 {
				found[name] = true
			}
		}
	}
	first := []string{string(corev1.ResourceCPU), string(corev1.ResourceMemory)}
	return slices.SortedFunc(maps.Keys(found), func(a, b string) int {
		return cmp.Or(cmp.Compare(rankIn(first, a), rankIn(first, b)), cmp.Compare(a, b))
	})
}

// rankIn returns the place of a text, behind all others if it has none.
func rankIn(all []string, text string) int {
	if i := slices.Index(all, text); i >= 0 {
		return i
	}
	return len(all)
}

// hoursOf returns the heading of a resource: cores and memory in the words of Kubernetes, and others by the last part of their names.
func hoursOf(resource string) string {
	if isBytes(resource) {
		return resource + " GiB-hours"
	}
	return resource[strings.LastIndex(resource, "/")+1:] + "-hours"
}

func isBytes(resource string) bool {
	return resource == string(corev1.ResourceMemory) || resource == string(corev1.ResourceEphemeralStorage) || strings.HasPrefix(resource, corev1.ResourceHugePagesPrefix)
}

func inHours(resource string, seconds float64) float64 {
	if isBytes(resource) {
		seconds /= 1 << 30
	}
	return seconds / 3600
}

// hours words a sum of times, which are compared with each other: in one unit.
func hours(seconds float64) string { return fmt.Sprintf("%.1fh", seconds/3600) }

func share(part, of float64) string {
	if of <= 0 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*part/of)
}

func (r *reporting) printCSV(of *historyapi.Report) error {
	resources := resourcesOf(of.Rows)
	w := csv.NewWriter(data(r.Out))
	w.UseCRLF = true // RFC 4180
	head := []string{"group", "attempts", "failed", "run_seconds", "wait_seconds", "start_seconds", "lost_seconds"}
	for _, name := range resources {
		head = append(head, name+"_seconds", name+"_lost_seconds")
	}
	if !r.noHeaders {
		_ = w.Write(head) // Flush keeps the error
	}
	for _, row := range of.Rows {
		cells := []string{row.Group, strconv.FormatInt(row.Attempts, 10), strconv.FormatInt(row.Failed, 10), number(row.RunSeconds), number(row.WaitSeconds),
			number(row.StartSeconds), number(row.LostSeconds)}
		for _, name := range resources {
			cells = append(cells, number(row.ResourceSeconds[name]), number(row.LostResourceSeconds[name]))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error()
}

func number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
