package kubectl

import (
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

type listing struct {
	*caller
	allNamespaces   bool
	waiting, failed bool
	noHeaders       bool
	selector        string
	output          string
	print           *genericclioptions.PrintFlags
}

func (c *caller) list() *cobra.Command {
	l := &listing{caller: c, print: genericclioptions.NewPrintFlags("")}
	cmd := &cobra.Command{
		Use:     "list [-A] [--waiting] [--failed] [-l SELECTOR]",
		Aliases: []string{"ls"},
		Short:   "List Frameworks, and why they wait",
		Args:    cobra.NoArgs,
		RunE:    l.run,
	}
	f := cmd.Flags()
	f.BoolVarP(&l.allNamespaces, "all-namespaces", "A", false, "List the Frameworks of all namespaces.")
	f.BoolVar(&l.waiting, "waiting", false, "List only Frameworks that are waiting for something.")
	f.BoolVar(&l.failed, "failed", false, "List only Frameworks that have ended without success.")
	f.BoolVar(&l.noHeaders, "no-headers", false, "Do not print the column headers.")
	f.StringVarP(&l.selector, "selector", "l", "", "Label selector, such as team=vision.")
	f.StringVarP(&l.output, "output", "o", "", "Format of the output: wide, name, json, yaml, or another format of kubectl get.")
	return cmd
}

func (l *listing) run(cmd *cobra.Command, _ []string) error {
	k, err := l.cluster()
	if err != nil {
		return err
	}
	namespace := k.namespace
	if l.allNamespaces {
		namespace = ""
	}
	all, err := k.listAll(cmd.Context(), namespace, l.selector)
	if err != nil {
		return err
	}
	var chosen []*stored
	for _, s := range all {
		if l.chooses(s) {
			chosen = append(chosen, s)
		}
	}
	switch l.output {
	case "", "wide":
		return l.printTable(chosen, k.namespace)
	}
	l.print.OutputFormat = &l.output
	printer, err := l.print.ToPrinter()
	if err != nil {
		return fmt.Errorf("%w; or wide", err)
	}
	objects, err := asList(chosen)
	if err != nil {
		return err
	}
	if l.output == "name" {
		return printEach(objects, func(o runtime.Object) error { return printer.PrintObj(o, data(l.Out)) })
	}
	return printer.PrintObj(objects, data(l.Out))
}

func (l *listing) chooses(s *stored) bool {
	return (!l.waiting || s.waitingFor() != "") && (!l.failed || s.failed())
}

// asList returns the complete objects as a list, as kubectl get prints it.
func asList(of []*stored) (*unstructured.UnstructuredList, error) {
	list := &unstructured.UnstructuredList{Object: map[string]any{"apiVersion": "v1", "kind": "List", "metadata": map[string]any{"resourceVersion": ""}}}
	for _, s := range of {
		o := unstructured.Unstructured{}
		if err := json.Unmarshal(s.raw, &o.Object); err != nil {
			return nil, err
		}
		o.SetGroupVersionKind(v1.SchemeGroupVersion.WithKind(v1.FrameworkKind))
		list.Items = append(list.Items, o)
	}
	return list, nil
}

func printEach(list *unstructured.UnstructuredList, print func(runtime.Object) error) error {
	for i := range list.Items {
		if err := print(&list.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

// waitingFor returns the reason why the Framework is waiting; empty if it is not.
func (s *stored) waitingFor() string {
	if s.broken != nil {
		return "DoesNotDecode"
	}
	return s.inTheWay().Reason
}

// inTheWay returns the condition that gives the reason for waiting; a zero one without a reason.
func (s *stored) inTheWay() metav1.Condition {
	if s.Status == nil {
		return metav1.Condition{}
	}
	for _, kind := range []string{v1.ConditionStatusInvalid, v1.ConditionWaiting, v1.ConditionSuspended} {
		if c := meta.FindStatusCondition(s.Status.Conditions, kind); c != nil && c.Status == metav1.ConditionTrue {
			return *c
		}
	}
	return metav1.Condition{}
}

// failed reports whether it has ended for good without success.
func (s *stored) failed() bool {
	if s.Status == nil || s.Status.State != v1.Completed {
		return false
	}
	end := s.Status.AttemptStatus.CompletionStatus
	return end != nil && end.Type.Name != v1.CompletionSucceeded
}

func (l *listing) printTable(of []*stored, namespace string) error {
	if len(of) == 0 {
		return l.nothing(namespace)
	}
	t := table{columns: []column{
		{name: "Name"}, {name: "State"}, {name: "Attempt"}, {name: "Running"}, {name: "Succeeded"}, {name: "Failed"}, {name: "CutShort"}, {name: "Total"},
		{name: "Code"}, {name: "Reason", wide: true}, {name: "Waiting"}, {name: "Message", wide: true}, {name: "Age"},
	}, wide: l.output == "wide", noHeaders: l.noHeaders}
	if l.allNamespaces {
		t.columns = append([]column{{name: "Namespace"}}, t.columns...)
	}
	for _, s := range of {
		cells := s.cells()
		if l.allNamespaces {
			cells = append([]any{s.Namespace}, cells...)
		}
		t.add(cells...)
	}
	return t.print(l.Out)
}

func (l *listing) nothing(namespace string) error {
	where := "in namespace " + namespace
	if l.allNamespaces {
		where = "in any namespace"
	}
	fmt.Fprintf(l.ErrOut, "No such Frameworks found %s.\n", where)
	return nil
}

// cells returns the cells of a line, without the namespace.
func (s *stored) cells() []any {
	age := ageOf(s.CreationTimestamp)
	if s.Status == nil {
		return []any{s.Name, "", "", "", "", "", "", "", "", "", s.waitingFor(), s.trouble(), age}
	}
	n, a, cutShort := s.Status.Tasks, &s.Status.AttemptStatus, s.cutShort()
	var code, phrase any = "", ""
	if end := a.CompletionStatus; end != nil {
		code, phrase = end.Code, end.Phrase
	}
	return []any{s.Name, string(s.Status.State), a.ID, n.Running, n.Succeeded, max(n.Failed-cutShort, 0), cutShort, n.Total, code, phrase, s.waitingFor(), s.trouble(), age}
}

// trouble describes the reason for waiting in more than one word.
func (s *stored) trouble() string {
	if s.broken != nil {
		return s.broken.Error()
	}
	return s.inTheWay().Message
}

func ageOf(at metav1.Time) string {
	if at.IsZero() {
		return ""
	}
	return ago(at.Time)
}
