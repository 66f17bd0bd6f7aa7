package kubectl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type pluginsOf struct {
	*caller
	allNamespaces       bool
	metrics             string
	controllerNamespace string
}

func (c *caller) plugins() *cobra.Command {
	p := &pluginsOf{caller: c}
	cmd := &cobra.Command{
		Use:   "plugins [-A] [--metrics URL]",
		Short: "Show the plugins of the controller, and their decisions",
		Long: `Show the plugins of the controller, and their decisions.

Their decisions are read from the statuses of Frameworks. Their states, and how often they were asked, come from the
metrics of the controller. These are read from a URL, or through the API server if the controller was installed from
deploy/ and you have the permission.`,
		Args: cobra.NoArgs,
		RunE: p.run,
	}
	f := cmd.Flags()
	f.BoolVarP(&p.allNamespaces, "all-namespaces", "A", false, "Read the Frameworks of all namespaces.")
	f.StringVar(&p.metrics, "metrics", "", "URL of the controller's metrics, such as http://127.0.0.1:8080/metrics.")
	f.StringVar(&p.controllerNamespace, "controller-namespace", "frameworkcontroller", "Namespace of the controller.")
	return cmd
}

func (p *pluginsOf) run(cmd *cobra.Command, _ []string) error {
	k, err := p.cluster()
	if err != nil {
		return err
	}
	namespace := k.namespace
	if p.allNamespaces {
		namespace = ""
	}
	frameworks, err := k.listAll(cmd.Context(), namespace, "")
	if err != nil {
		return err
	}
	rows := pluginRows{}
	rows.addDecisions(frameworks)
	metrics, from, err := p.readMetrics(cmd.Context(), k)
	rows.addMetrics(metrics)
	if err := rows.print(p.Out, p.allNamespaces); err != nil {
		return err
	}
	if err := shadowVerdictsOf(metrics).print(p.Out); err != nil {
		return err
	}
	return p.sayWhere(namespace, from, err)
}

// sayWhere prints the sources of the table.
func (p *pluginsOf) sayWhere(namespace, from string, missing error) error {
	where := "the Frameworks of namespace " + namespace
	if namespace == "" {
		where = "the Frameworks of all namespaces"
	}
	text := fmt.Sprintf("VERSION, DECIDED and FRAMEWORKS are from the statuses of %s, the other columns from %s.\n", where, from)
	if missing != nil {
		text = fmt.Sprintf(`All of this is from the statuses of %s. The metrics of the controller have more, but %v. Try
  kubectl port-forward -n %s deployment/frameworkcontroller 8080
  kubectl framework plugins --metrics=http://127.0.0.1:8080/metrics
`, where, missing, p.controllerNamespace)
	}
	_, err := io.WriteString(p.ErrOut, text)
	return err
}

// readMetrics reads the metrics of the leading controller, and returns their source.
func (p *pluginsOf) readMetrics(ctx context.Context, k *cluster) (metrics pluginMetrics, from string, err error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	if p.metrics != "" {
		text, err := fetch(ctx, p.metrics)
		if err == nil {
			metrics, err = parseMetrics(text)
		}
		return metrics, p.metrics, err
	}
	pods, err := k.core.CoreV1().Pods(p.controllerNamespace).List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=frameworkcontroller"})
	if err != nil {
		return nil, "", err
	}
	err = fmt.Errorf("there is no controller in namespace %s", p.controllerNamespace)
	for i := range pods.Items {
		name := pods.Items[i].Name
		var body []byte
		body, err = k.core.CoreV1().RESTClient().Get().Namespace(p.controllerNamespace).Resource("pods").
			Name(name + ":8080").SubResource("proxy").Suffix("metrics").DoRaw(ctx)
		if err == nil {
			metrics, err = parseMetrics(string(body))
		}
		if len(metrics) > 0 {
			return metrics, "the metrics of Pod " + name, nil
		}
	}
	return nil, "", cmp.Or(err, errors.New("no controller leads"))
}

// fetch reads a URL.
func fetch(ctx context.Context, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostMetrics))
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s", url, answer.Status)
	}
	return string(text), err
}

// mostMetrics is more than a controller ever serves, in bytes.
const mostMetrics = 64 << 20

func (r pluginRows) print(out io.Writer, allNamespaces bool) error {
	t := table{columns: []column{{name: "Plugin"}, {name: "Kind"}, {name: "Version"}, {name: "State"}, {name: "Questions"}, {name: "Faults"},
		{name: "Restarts"}, {name: "Decided"}, {name: "Frameworks"}}}
	keys := make([]pluginKey, 0, len(r))
	for key := range r {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b pluginKey) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.name, b.name)) })
	for _, key := range keys {
		row := r[key]
		t.add(key.name, key.kind, row.version, row.state, row.questions, row.faults, row.restarts, row.decided, strings.Join(row.latest(allNamespaces), ","))
	}
	return t.print(out)
}
