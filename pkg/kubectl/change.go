package kubectl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// operation is one of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// change is a patch in the making. All of it happens, or nothing: what was read is tested by the API server again.
type change struct {
	of         *stored
	operations []operation
	// what says what has been done, such as "stopped".
	what string
}

// newChange is one of that very object, and not of another one that has its name by then.
func newChange(of *stored, what string) *change {
	return &change{of: of, what: what, operations: []operation{{"test", "/metadata/uid", of.UID}}}
}

// set gives a field a value. If it had one, that is tested; it is nil otherwise.
func (c *change) set(path string, before, after any) {
	if before != nil {
		c.operations = append(c.operations, operation{"test", path, before})
	}
	c.operations = append(c.operations, operation{"add", path, after})
}

// empty reports whether nothing is to be changed.
func (c *change) empty() bool {
	for _, o := range c.operations {
		if o.Op != "test" {
			return false
		}
	}
	return true
}

// changing is what the commands have in common that change the spec.
type changing struct {
	*caller
	dryRun string
	yes    bool
}

func (c *changing) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&c.dryRun, "dry-run", "none", "client prints the patch and sends nothing; server has the API server check it and store nothing.")
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "Do not ask before Tasks that run are ended.")
	_ = cmd.RegisterFlagCompletionFunc("dry-run", cobra.FixedCompletions([]string{"none", "client", "server"}, cobra.ShellCompDirectiveNoFileComp))
}

func (c *changing) check() error {
	switch c.dryRun {
	case "none", "client", "server":
		return nil
	}
	return fmt.Errorf("--dry-run=%s: use none, client or server", c.dryRun)
}

// send sends a change, unless it is only to be shown.
func (c *changing) send(ctx context.Context, k *cluster, patch *change) error {
	body, err := json.Marshal(patch.operations)
	if err != nil {
		return err
	}
	name, note := patch.of.Name, ""
	switch c.dryRun {
	case "client":
		_, err := fmt.Fprintf(c.Out, "framework/%s %s (client dry run)\n%s\n", name, patch.what, body)
		return err
	case "server":
		note = " (server dry run)"
	}
	ctx, cancel := k.patient(ctx)
	defer cancel()
	request := k.frameworks.Patch(types.JSONPatchType).Namespace(k.namespace).Resource(v1.FrameworkPlural).Name(name).
		Param("fieldManager", "kubectl-framework").Body(body)
	if c.dryRun == "server" {
		request = request.Param("dryRun", "All")
	}
	if err := request.Do(ctx).Error(); err != nil {
		return k.whyRefused(name, err)
	}
	_, err = fmt.Fprintf(c.Out, "framework/%s %s%s\n", name, patch.what, note)
	return err
}

// whyRefused tells a test of the patch that has failed from other refusals: the API server gives no cause for it.
func (k *cluster) whyRefused(name string, err error) error {
	var answer apierrors.APIStatus
	if apierrors.IsInvalid(err) && errors.As(err, &answer) && (answer.Status().Details == nil || len(answer.Status().Details.Causes) == 0) {
		return fmt.Errorf("framework %s was changed by somebody else meanwhile, so nothing was done: look at it, and try again", name)
	}
	return k.inPlainWords(err)
}
