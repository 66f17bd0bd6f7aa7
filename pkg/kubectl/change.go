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

// fieldManager is the owner of the fields that this plugin sets.
const fieldManager = "kubectl-framework"

// operation is one operation of a JSON patch.
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value any    `json:"value"`
}

// change is a patch under construction. The API server applies it as a whole, or not at all: its tests compare the fields that
// were read.
type change struct {
	of         *stored
	operations []operation
	// what is the past participle that reports the change, such as "stopped".
	what string
}

// newChange returns an empty patch for this object; it does not apply to a later object of the same name.
func newChange(of *stored, what string) *change {
	return &change{of: of, what: what, operations: []operation{{"test", "/metadata/uid", of.UID}}}
}

// set gives a field a value. before is the old value, which the patch tests; nil if the field was not set.
func (c *change) set(path string, before, after any) {
	if before != nil {
		c.operations = append(c.operations, operation{"test", path, before})
	}
	c.operations = append(c.operations, operation{"add", path, after})
}

// empty reports whether the patch changes nothing.
func (c *change) empty() bool {
	for _, o := range c.operations {
		if o.Op != "test" {
			return false
		}
	}
	return true
}

// changing is shared by the commands that change the spec.
type changing struct {
	*caller
	dryRun dryRun
	yes    bool
}

func (c *changing) addFlags(cmd *cobra.Command) {
	c.dryRun.addFlag(cmd, "client prints the patch and sends nothing; server sends the patch to be checked, and stores nothing.")
	cmd.Flags().BoolVarP(&c.yes, "yes", "y", false, "Do not ask before running Tasks are ended.")
}

// send sends a change, or prints it with --dry-run=client.
func (c *changing) send(ctx context.Context, k *cluster, patch *change) error {
	body, err := json.Marshal(patch.operations)
	if err != nil {
		return err
	}
	name := patch.of.Name
	report := fmt.Sprintf("framework/%s %s%s\n", name, patch.what, c.dryRun.note())
	if c.dryRun == clientDryRun {
		_, err := fmt.Fprintf(c.Out, "%s%s\n", report, body)
		return err
	}
	ctx, cancel := k.patient(ctx)
	defer cancel()
	request := k.frameworks.Patch(types.JSONPatchType).Namespace(k.namespace).Resource(v1.FrameworkPlural).Name(name).
		Param("fieldManager", fieldManager).Body(body)
	if c.dryRun == serverDryRun {
		request = request.Param("dryRun", "All")
	}
	if err := request.Do(ctx).Error(); err != nil {
		return k.whyRefused(name, err)
	}
	_, err = fmt.Fprint(c.Out, report)
	return err
}

// whyRefused recognizes a refused patch whose test has failed: the API server gives no cause for it.
func (k *cluster) whyRefused(name string, err error) error {
	var answer apierrors.APIStatus
	if apierrors.IsInvalid(err) && errors.As(err, &answer) && (answer.Status().Details == nil || len(answer.Status().Details.Causes) == 0) {
		return fmt.Errorf("framework %s was changed by somebody else in the meantime, so nothing was done: check it, and try again", name)
	}
	return k.inPlainWords(err)
}
