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
}

func (l Lost) String() string { return l.Path + ": " + l.Instead }

// ErrOtherKind is the error for an object of a kind that has no conversion.
var ErrOtherKind = errors.New("it is no Volcano Job, JobSet, PyTorchJob, TFJob, MPIJob or Job")

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

// conversion is that of one object.
type conversion struct {
	*framework
	version string // of the object's API, such as kubeflow.org/v1
	// called is the name that the object had, empty if it had none.
	called string
}

// Object converts an object as its JSON has it, and does not change it. The error wraps ErrOtherKind if there is no conversion for
// its kind; otherwise it names each field that is not what it has to be.
func Object(object map[string]any) (*Result, error) {
	told := &notes{}
	all := newFields("", object, told)
	version, kind := all.text("apiVersion"), all.text("kind")
	group, _, _ := strings.Cut(version, "/")
	convert := systems[group+"/"+kind]
	if convert == nil {
		return nil, ErrOtherKind
	}
	c := &conversion{framework: &framework{notes: told}, version: version}
	c.identity(all.object("metadata"))
	all.skip("status") // it is the controller's
	if spec := all.object("spec"); spec.empty() {
		told.wrong("spec", "is missing")
	} else {
		convert(c, spec)
	}
	all.leftOver()
	c.judge()
	if len(told.mistakes) > 0 {
		return nil, errors.Join(told.mistakes...)
	}
	slices.SortStableFunc(told.lost, func(a, b Lost) int { return strings.Compare(a.Path, b.Path) })
	return &Result{Framework: c.manifest(), Lost: told.lost}, nil
}
