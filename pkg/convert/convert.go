package convert

import (
	"errors"
	"slices"
	"strings"
)

// Result is a Framework, and the fields of the object that it does not preserve.
type Result struct {
	// Framework is the complete object, as in YAML.
	Framework map[string]any
	// Lost lists fields without an exact equivalent, in the order of their paths.
	Lost []Lost
}

// Lost is a field without an exact equivalent.
type Lost struct {
	// Path locates the field in the object, such as spec.tasks[0].policies[1].
	Path string
	// Instead describes what happens to it, and the closest alternative.
	Instead string
	// Unknown is true if no conversion knows the field.
	Unknown bool
}

func (l Lost) String() string { return l.Path + ": " + l.Instead }

// ErrOtherKind is the error for an object of a kind without a conversion.
var ErrOtherKind = errors.New("it is not a Volcano Job, JobSet, PyTorchJob, TFJob, MPIJob or Job")

// systems are the conversions, by group and kind. Versions of a group differ only in their fields, and unknown fields are
// reported.
var systems = map[string]func(*conversion, *fields){
	"batch/Job":               (*conversion).job,
	"batch.volcano.sh/Job":    (*conversion).volcano,
	"jobset.x-k8s.io/JobSet":  (*conversion).jobSet,
	"kubeflow.org/PyTorchJob": (*conversion).pyTorch,
	"kubeflow.org/TFJob":      (*conversion).tensorFlow,
	"kubeflow.org/MPIJob":     (*conversion).mpi,
}

// systemOf returns the conversion for an object, or nil.
func systemOf(object map[string]any) func(*conversion, *fields) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, _, _ := strings.Cut(version, "/")
	return systems[group+"/"+kind]
}

// Converts reports whether there is a conversion for the kind of an object.
func Converts(object map[string]any) bool { return systemOf(object) != nil }

// Converter converts objects that belong together, such as the objects of a file. It gives each Framework a unique name in its
// namespace, and adds labels to Pods by which another object of the file selects them. The zero value is ready to use.
type Converter struct {
	frameworks map[string]origin // by namespace and name, including Frameworks that are not converted
	beside     map[string]bool   // Services, Secrets and ConfigMaps that are not converted, by namespace, kind and name
	mentioned  []mention         // found in objects that are not converted
}

// Beside registers an object that is not converted: its name, and the Pods that it selects, as a Service does. It has to be
// called before the objects to which it refers are converted.
func (all *Converter) Beside(object map[string]any) {
	all.mentioned = append(all.mentioned, mentionsIn("", object)...)
	all.reserve(object)
}

// conversion is the conversion of one object.
type conversion struct {
	*framework
	version, kind string // of the source object, such as kubeflow.org/v1 and MPIJob
	// called is the original name of the object; empty if it had none.
	called string
	// kueueQueue and kueueClass are the values of its labels for Kueue; empty if it has none.
	kueueQueue, kueueClass string
}

// Object converts a single object; see Converter.Object.
func Object(object map[string]any) (*Result, error) {
	var alone Converter
	return alone.Object(object)
}

// Object converts an object given as decoded JSON, and does not change it. The error wraps ErrOtherKind if there is no
// conversion for its kind; otherwise it names each invalid field.
func (all *Converter) Object(object map[string]any) (*Result, error) {
	avoided := map[string]string{}
	c, err := all.convert(object, avoided)
	for err == nil && all.collides(c, avoided) {
		c, err = all.convert(object, avoided)
	}
	if err != nil {
		return nil, err
	}
	all.name(c)
	slices.SortStableFunc(c.lost, func(a, b Lost) int { return strings.Compare(a.Path, b.Path) })
	return &Result{Framework: c.manifest(), Lost: c.lost}, nil
}

// convert converts an object without using the names to avoid.
func (all *Converter) convert(object map[string]any, avoided map[string]string) (*conversion, error) {
	told := &notes{}
	top := newFields("", object, told)
	version, kind := top.text("apiVersion"), top.text("kind")
	convert := systemOf(object)
	if convert == nil {
		return nil, ErrOtherKind
	}
	c := &conversion{framework: &framework{notes: told}, version: version, kind: kind}
	c.identity(top.object("metadata"), all, avoided)
	top.skip("status") // it belongs to the controller
	if spec := top.object("spec"); spec.empty() {
		told.wrong("spec", "is missing")
	} else {
		convert(c, spec)
	}
	top.leftOver()
	c.givenWords(all.mentioned)
	c.leaveToKueue()
	c.judge()
	if len(told.mistakes) > 0 {
		return nil, errors.Join(told.mistakes...)
	}
	return c, nil
}
