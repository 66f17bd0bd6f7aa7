package kubectl

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

type simulating struct {
	historyFlags
	rules, plugin string
	from          string
	fromCluster   bool
}

func (c *caller) simulate() *cobra.Command {
	s := &simulating{historyFlags: historyFlags{caller: c}}
	cmd := &cobra.Command{
		Use:   "simulate (-f RULES.yaml | --plugin BINARY) [-A] [--from history|FILE] [--since 7d]",
		Short: "Try podFailureSpec rules, or a classifier plugin, on past failures",
		Long: `Try podFailureSpec rules, or a classifier plugin, on past failures.

It judges again each failed Pod that is recorded in a status or in the history, and changes nothing.

The rules are the podFailureSpec of a configuration file. They replace all rules of the controller. With
--plugin, that program is asked first, as a controller asks it; if the file lists it among its plugins, by its file name, it
gets the parameters and limits of its entry, and otherwise none.

The failures come from the cluster, in one namespace or in all with -A. With --from history, they are the failures in the history
server since --since, each with the question as it was asked. Other values of --from name a file: the output of
kubectl get fw -A -o json, or the log of a controller, whose history has all attempts.
The file - is standard input, and ./history a file of that name.`,
		Args: cobra.NoArgs,
		RunE: s.run,
	}
	f := cmd.Flags()
	f.StringVarP(&s.rules, "filename", "f", "", "File with podFailureSpec, plugins or both, such as the controller's configuration.")
	f.StringVar(&s.plugin, "plugin", "", "Program of a FailureClassifier plugin; it is asked before the rules.")
	f.BoolVar(&s.fromCluster, "from-cluster", false, "Read the failures from the cluster (default).")
	f.StringVar(&s.from, "from", "", "Read the failures from the history server (history), or from a file with Frameworks in JSON or with the log of a controller.")
	s.addFlags(cmd, "7d")
	return cmd
}

func (s *simulating) run(cmd *cobra.Command, _ []string) error {
	if cmd.Flags().Changed("since") && s.from != fromHistory {
		return errors.New("--since chooses from the history: add --from history")
	}
	configured, err := s.configuration()
	if err != nil {
		return err
	}
	found, err := s.failuresOf(cmd.Context())
	if err != nil {
		return err
	}
	host, err := s.host(cmd.Context(), configured)
	if err != nil {
		return err
	}
	defer host.Stop()
	failures := found.failures()
	j := &judge{panel: consult.New(host, configured.Rules()), keeps: s.plugin != "" && configured.PodFailureSpec == nil, skipped: map[string]int{}}
	judged := j.all(cmd.Context(), failures)
	if err := cmd.Context().Err(); err != nil {
		return err
	}
	r := replay(failures, judged, s.plugin != "")
	r.noRetries = s.from == fromHistory
	if err := r.print(s.Out); err != nil {
		return err
	}
	return s.outcome(r, s.warn(found, j, judged))
}

// host starts the plugin, if there is one.
func (s *simulating) host(ctx context.Context, c *config.Config) (*pluginhost.Host, error) {
	if s.plugin == "" {
		return pluginhost.New(pluginhost.Options{}), nil
	}
	return startPlugin(ctx, s.plugin, c)
}

// configuration reads the file; without a file it is the default one, without rules.
func (s *simulating) configuration() (*config.Config, error) {
	switch {
	case s.rules == "" && s.plugin == "":
		return nil, errors.New("name what to try: kubectl framework simulate -f rules.yaml, or --plugin with the program of a classifier")
	case s.from == fromHistory && s.fromCluster:
		return nil, errors.New("--from history reads the history instead of the cluster: it excludes --from-cluster")
	case s.from != "" && s.from != fromHistory && (s.fromCluster || s.allNamespaces):
		return nil, errors.New("--from reads a file instead of the cluster: it excludes -A and --from-cluster")
	case s.rules == "":
		return config.Default(), nil
	}
	text, err := os.ReadFile(s.rules)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.rules, err)
	}
	for _, p := range c.Plugins() {
		if name := filepath.Base(p.Command); isOtherClassifier(p) && name != filepath.Base(s.plugin) {
			fmt.Fprintf(s.ErrOut, "warning: plugin %s of %s is not asked: name its program, %s, with --plugin\n", p.Name, s.rules, name)
		}
	}
	return c, nil
}

func (s *simulating) failuresOf(ctx context.Context) (*saved, error) {
	switch s.from {
	case "":
	case fromHistory:
		return s.pastFailures(ctx)
	default:
		return s.readSaved(s.from)
	}
	k, err := s.cluster()
	if err != nil {
		return nil, err
	}
	namespace := k.namespace
	if s.allNamespaces {
		namespace = ""
	}
	all, err := k.listAll(ctx, namespace, "")
	return &saved{frameworks: all}, err
}

// trouble counts the gaps of a simulation.
type trouble struct{ unread, unanswered int }

// warn reports the records that could not be read, and the questions that the plugin did not answer.
func (s *simulating) warn(found *saved, j *judge, judged map[*failure]consult.Judgment) (t trouble) {
	say := func(format string, args ...any) {
		fmt.Fprintf(s.ErrOut, "warning: %s\n", onOneLine(fmt.Sprintf(format, args...)))
	}
	for _, of := range found.frameworks {
		if of.broken != nil {
			t.unread++
			say("Framework %s/%s is skipped: %v", of.Namespace, of.Name, of.broken)
		}
	}
	unread := s.from
	if s.from == fromHistory {
		unread = "a question in the history"
	}
	for _, line := range found.unread {
		t.unread++
		say("%s is skipped: %s", unread, line)
	}
	for _, why := range slices.Sorted(maps.Keys(j.skipped)) {
		t.unanswered += j.skipped[why]
		say("%s: %s, so %s", plural(j.skipped[why], "failure"), why, j.otherwise())
	}
	waiting := map[string]int{}
	for _, judgment := range judged {
		if judgment.Err != nil {
			waiting[judgment.Err.Error()]++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(waiting)) {
		t.unanswered += waiting[why]
		say("%s: %s, so the controller would wait", plural(waiting[why], "failure"), why)
	}
	return t
}

// outcome chooses the exit code: the first concern is whether the plugin was really tried, the second whether a type changes.
func (s *simulating) outcome(r *replayed, t trouble) error {
	switch {
	case t.unanswered > 0:
		return fmt.Errorf("the plugin gave no usable answer to %d of %s", t.unanswered, plural(r.failures, "failure"))
	case r.otherTypes > 0:
		return coded{errors.New(""), exitDiffers}
	case t.unread > 0:
		return coded{errors.New("some objects do not decode, and were skipped"), exitBroken}
	}
	return nil
}
