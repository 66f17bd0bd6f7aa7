package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
)

type simulating struct {
	*caller
	rules, from   string
	allNamespaces bool
}

func (c *caller) simulate() *cobra.Command {
	s := &simulating{caller: c}
	cmd := &cobra.Command{
		Use:   "simulate -f RULES.yaml [-A] [--from FILE]",
		Short: "Try podFailureSpec rules on the failures that the cluster holds",
		Long: `Try podFailureSpec rules on the failures that the cluster holds.

It judges anew, by the podFailureSpec of a configuration file, each Task whose Pod has failed and is told of in a
status, and changes nothing. The failures come from a namespace, from all with -A, or from a file that
kubectl get fw -o json has written. The exit code is 3 if a failure gets another type.`,
		Args: cobra.NoArgs,
		RunE: s.run,
	}
	f := cmd.Flags()
	f.StringVarP(&s.rules, "filename", "f", "", "File with podFailureSpec, such as the controller's configuration.")
	f.StringVar(&s.from, "from", "", "File with Frameworks in JSON, in place of the cluster.")
	f.BoolVarP(&s.allNamespaces, "all-namespaces", "A", false, "Take the failures of all namespaces.")
	return cmd
}

func (s *simulating) run(cmd *cobra.Command, _ []string) error {
	if s.rules == "" {
		return errors.New("name the rules: kubectl framework simulate -f rules.yaml")
	}
	text, err := os.ReadFile(s.rules)
	if err != nil {
		return err
	}
	rules, err := config.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", s.rules, err)
	}
	frameworks, err := s.frameworks(cmd.Context())
	if err != nil {
		return err
	}
	r := replay(rules.Rules(), frameworks)
	if err := r.print(s.Out); err != nil {
		return err
	}
	if r.otherTypes > 0 {
		return coded{errors.New(""), exitDiffers}
	}
	return nil
}

func (s *simulating) frameworks(ctx context.Context) ([]*stored, error) {
	if s.from != "" {
		return readSaved(s.from)
	}
	k, err := s.cluster()
	if err != nil {
		return nil, err
	}
	namespace := k.namespace
	if s.allNamespaces {
		namespace = ""
	}
	return k.listAll(ctx, namespace, "")
}

// readSaved reads what kubectl get fw -o json has written: a list, or one Framework.
func readSaved(path string) (all []*stored, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list page
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s is no JSON of kubectl get fw -o json: %w", path, err)
	}
	if list.Items == nil {
		list.Items = []json.RawMessage{text}
	}
	for _, raw := range list.Items {
		s, err := parse(raw)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, s)
	}
	return all, nil
}
