package kubectl

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
)

type converting struct {
	*caller
	file   string
	strict bool

	objects convert.Converter
	printer printers.YAMLPrinter
	// How many objects were converted, made no sense, and lost something.
	converted, broken, lossy int
}

func (c *caller) convert() *cobra.Command {
	v := &converting{caller: c}
	cmd := &cobra.Command{
		Use:   "convert -f FILE [--strict]",
		Short: "Turn Volcano Jobs, JobSets, PyTorchJobs, TFJobs, MPIJobs and Jobs into Frameworks",
		Long: `Turn Volcano Jobs, JobSets, PyTorchJobs, TFJobs, MPIJobs and Jobs into Frameworks.

It reads a file and prints YAML; it asks no cluster, and changes nothing.

What has no equal in a Framework, or means something else there, is told on standard error, a line for each field, with the
nearest way to what it did. A file may have several documents, and lists. Objects of other kinds are passed by, and what makes
no sense is told and left out, while the rest is converted.

The exit code is 1 if something made no sense, or nothing was there to convert; with --strict it is 4 if something has no equal.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return v.run() },
	}
	f := cmd.Flags()
	f.StringVarP(&v.file, "filename", "f", "", "File with the objects, in YAML or JSON; - is the input.")
	f.BoolVar(&v.strict, "strict", false, "End with exit code 4 if something has no equal in a Framework.")
	return cmd
}

func (v *converting) run() error {
	if v.file == "" {
		return errors.New("name what to convert: kubectl framework convert -f job.yaml, or -f - for the input")
	}
	text, err := v.readFile(v.file)
	if err != nil {
		return err
	}
	all := objectsIn(text)
	for _, found := range all {
		if found.err == nil && !convert.Converts(found.object) {
			v.objects.Beside(found.object)
		}
	}
	for _, found := range all {
		if err := v.one(found); err != nil {
			return err
		}
	}
	switch {
	case v.broken > 0:
		return fmt.Errorf("could not convert %s", plural(v.broken, "object"))
	case v.converted == 0:
		return fmt.Errorf("%s has nothing that can be converted", v.file)
	case v.strict && v.lossy > 0:
		return coded{fmt.Errorf("--strict: something has no equal in a Framework, of %s", plural(v.lossy, "object")), exitLoses}
	}
	return nil
}

// one converts an object, and tells what becomes of it. The error is one of writing.
func (v *converting) one(found located) error {
	result, err := (*convert.Result)(nil), found.err
	if err == nil {
		result, err = v.objects.Object(found.object)
	}
	switch {
	case errors.Is(err, convert.ErrOtherKind):
		v.say("%s is passed by: %v", found, err)
		return nil
	case err != nil:
		v.broken++
		for _, mistake := range mistakes(err) {
			v.say("%s: error: %v", found, mistake)
		}
		return nil
	}
	v.converted++
	if len(result.Lost) > 0 {
		v.lossy++
	}
	for _, lost := range result.Lost {
		v.say("%s: %s", found, lost)
	}
	return v.printer.PrintObj(&unstructured.Unstructured{Object: result.Framework}, data(v.Out))
}

func (v *converting) say(format string, args ...any) {
	fmt.Fprintln(v.ErrOut, onOneLine(fmt.Sprintf(format, args...)))
}

// mistakes are the errors that are joined in one.
func mistakes(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
