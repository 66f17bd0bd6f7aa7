package kubectl

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/printers"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
)

type converting struct {
	*caller
	files  []string
	strict bool

	objects convert.Converter
	convert func(map[string]any) (*convert.Result, error)
	printer printers.YAMLPrinter
	// Numbers of objects that were converted, were invalid, and lost a field.
	converted, broken, lossy int
}

func (c *caller) convert() *cobra.Command {
	v := &converting{caller: c}
	v.convert = v.objects.Object
	cmd := &cobra.Command{
		Use:   "convert -f FILE... [--strict]",
		Short: "Turn Volcano Jobs, JobSets, PyTorchJobs, TFJobs, MPIJobs and Jobs into Frameworks",
		Long: `Turn Volcano Jobs, JobSets, PyTorchJobs, TFJobs, MPIJobs and Jobs into Frameworks.

It reads files and prints YAML; it does not access a cluster, and changes nothing.

Fields that have no equivalent in a Framework, or a different meaning, are reported on standard error, one line for each field,
with the closest alternative. A file may have several documents, and lists. For a directory, all files ending in .yaml, .yml or
.json are read. Objects of other kinds are skipped. Invalid objects are reported and skipped; the rest is converted.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return v.run() },
	}
	f := cmd.Flags()
	f.StringArrayVarP(&v.files, "filename", "f", nil, "File or directory with the objects, in YAML or JSON; - is standard input. May be repeated.")
	f.BoolVar(&v.strict, "strict", false, "Exit with code 4 if any field has no equivalent in a Framework.")
	return cmd
}

func (v *converting) run() error {
	all, err := v.read()
	if err != nil {
		return err
	}
	for i, found := range all {
		if found.err == nil && !convert.Converts(found.object) {
			all[i].err = guarded(func() error {
				v.objects.Beside(found.object)
				return nil
			})
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
		return fmt.Errorf("nothing to convert in %s", strings.Join(v.files, ", "))
	case v.strict && v.lossy > 0:
		return coded{fmt.Errorf("--strict: fields of %s have no equivalent in a Framework", plural(v.lossy, "object")), exitLoses}
	}
	return nil
}

// read returns the objects of all files, with the file name if there are several files.
func (v *converting) read() (all []located, err error) {
	if len(v.files) == 0 {
		return nil, errors.New("name what to convert: kubectl framework convert -f job.yaml, or -f - for standard input")
	}
	var paths []string
	for _, file := range v.files {
		expanded, err := filesAt(file)
		if err != nil {
			return nil, err
		}
		paths = append(paths, expanded...)
	}
	if first := slices.Index(paths, "-"); first >= 0 && slices.Contains(paths[first+1:], "-") {
		return nil, errors.New("standard input can be read only once: -f - is repeated")
	}
	for _, path := range paths {
		text, err := v.readFile(path)
		if err != nil {
			return nil, err
		}
		for _, found := range objectsIn(text) {
			if len(paths) > 1 {
				found.file = path
			}
			all = append(all, found)
		}
	}
	return all, nil
}

// filesAt returns the files of a directory whose names end like those of manifests, or else the file itself.
func filesAt(path string) (files []string, err error) {
	if path == "" {
		return nil, errors.New("-f needs the name of a file")
	}
	if scheme, _, isURL := strings.Cut(path, "://"); isURL && (scheme == "http" || scheme == "https") {
		return nil, fmt.Errorf("%s: convert does not read URLs; download it, and pipe it into kubectl framework convert -f -", path)
	}
	if info, err := os.Stat(path); path == "-" || err != nil || !info.IsDir() {
		return []string{path}, nil // reading it reports an error
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if !entry.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(entry.Name())) {
			files = append(files, filepath.Join(path, entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("the directory %s has no files ending in .yaml, .yml or .json", path)
	}
	return files, nil
}

// one converts an object and reports the result. The error concerns writing.
func (v *converting) one(found located) error {
	result, err := (*convert.Result)(nil), found.err
	if err == nil {
		err = guarded(func() (err error) {
			result, err = v.convert(found.object)
			return err
		})
	}
	switch {
	case errors.Is(err, convert.ErrOtherKind):
		v.say("%s: skipped, because %v", found, err)
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

// guarded turns a panic, which would be a bug of the converter, into an error of the object being converted.
func guarded(look func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the converter cannot handle this object, which is a bug: %v", fault)
		}
	}()
	return look()
}

func (v *converting) say(format string, args ...any) {
	fmt.Fprintln(v.ErrOut, onOneLine(fmt.Sprintf(format, args...)))
}

// mistakes splits a joined error into its parts.
func mistakes(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
