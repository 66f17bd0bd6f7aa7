package convert

import (
	"errors"
	"slices"
	"strings"
)

// Result is a Framework, and what of the object is not in it.
type Result struct {
	// Framework is the whole object, as its YAML would have it.
	Framework map[string]any
	// Lost has what means something else in a Framework, or nothing, in the order of the paths.
	Lost []Lost
}

// Lost is a field without an equal.
type Lost struct {
	// Path is where it is in the object, such as spec.tasks[0].policies[1].
	Path string
	// Instead says what becomes of it, and the nearest way to what it did.
	Instead string
	// Unknown is true if no conversion knows the field.
	Unknown bool
}

func (l Lost) String() string { return l.Path + ": " + l.Instead }

// ErrOtherKind is the error for an object of a kind that has no conversion.
var ErrOtherKind = errors.New("it is not a Volcano Job, JobSet, PyTorchJob, TFJob, MPIJob or Job")

// systems are the conversions, by group and kind. Versions of a group differ in their fields at most, and those that no conversion
// knows are told.
var systems = map[string]func(*conversion, *fields){
	"batch/Job":               (*conversion).job,
	"batch.volcano.sh/Job":    (*conversion).volcano,
	"jobset.x-k8s.io/JobSet":  (*conversion).jobSet,
	"kubeflow.org/PyTorchJob": (*conversion).pyTorch,
	"kubeflow.org/TFJob":      (*conversion).tensorFlow,
	"kubeflow.org/MPIJob":     (*conversion).mpi,
}

// systemOf returns the conversion for an object, nil if there is none.
func systemOf(object map[string]any) func(*conversion, *fields) {
	version, _ := object["apiVersion"].(string)
	kind, _ := object["kind"].(string)
	group, _, _ := strings.Cut(version, "/")
	return systems[group+"/"+kind]
}

// Converts reports whether an object is of a kind that has a conversion.
func Converts(object map[string]any) bool { return systemOf(object) != nil }

// Converter converts the objects that belong together, such as those of a file. It gives each Framework a name of its own in its
// namespace, and Pods the labels by which another object of the file selects them. The zero value is ready to be used.
type Converter struct {
	frameworks map[string]origin // by namespace and name, also those that are not converted
	beside     map[string]bool   // Services, Secrets and ConfigMaps that are not converted, by namespace, kind and name
	mentioned  []mention         // by objects that are not converted
}

// Beside takes notice of an object that is not converted: of the Pods that it selects, as a Service does, and of its name. It has to
// be called before the objects that it refers to are converted.
func (all *Converter) Beside(object map[string]any) {
	all.mentioned = append(all.mentioned, mentionsIn("", object)...)
	all.reserve(object)
}

// conversion is that of one object.
type conversion struct {
	*framework
	version, kind string // of the object, such as kubeflow.org/v1 and MPIJob
	// called is the name that the object had, empty if it had none.
	called string
	// kueueQueue and kueueClass are what its labels say to Kueue, empty if they say nothing.
	kueueQueue, kueueClass string
}

// Object converts an object that comes alone: see Converter.Object.
func Object(object map[string]any) (*Result, error) {
	var alone Converter
	return alone.Object(object)
}

// Object converts an object as its JSON has it, and does not change it. The error wraps ErrOtherKind if there is no conversion for
// its kind; otherwise it names each field that is not what it has to be.
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

// convert gives the Framework none of the names to avoid.
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
	top.skip("status") // it is the controller's
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
