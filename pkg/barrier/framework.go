package barrier

import (
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// framework has the fields of a Framework that the barrier needs, and the rest as raw JSON.
type framework struct {
	apiVersion, kind     string
	namespace, name      string
	uid, resourceVersion string
	spec                 v1.FrameworkSpec
	state                v1.State
	attempt              string // instanceUID; empty without an attempt
	gated                bool   // the status is written by a controller that opens gates
	open                 bool   // the gate
	gates                *v1.RoleGates
	roles                []role // in the order of the status, including roles that are not in the spec

	// Raw JSON. The status is plain: compressed roles are decompressed into it.
	metadata, rawSpec, status, conditions, compressed, rawGates []byte
	hasPlainRoles                                               bool
}

// role is the state of a TaskRole.
type role struct {
	name  string
	items []byte // JSON; nil if the role has none
	tasks []task // position is index
}

// task is the state of a Task.
type task struct {
	index           int
	deletionPending bool
	retryWaits      bool // a retry is decided, and waits for its delay
	awaitsTurn      bool // it gets its Pod when another Task of its role has ended
	pod, ip, node   string
	state           []byte // JSON of the whole, read for the details of a Task that is not ready
}

// parseFramework reads a Framework. A compressed status is decompressed.
func parseFramework(text []byte) (*framework, error) {
	r := &reader{text: text}
	f := readFramework(r)
	if r.err != nil {
		return nil, fmt.Errorf("the Framework does not decode: %w", r.err)
	}
	return f, f.complete()
}

// readFramework reads the fields that one pass can find; complete does the rest.
func readFramework(r *reader) *framework {
	f := &framework{}
	r.members(func(name []byte) {
		switch string(name) {
		case "apiVersion":
			f.apiVersion = r.string()
		case "kind":
			f.kind = r.string()
		case "metadata":
			f.metadata = r.spanned(func() { f.readMetadata(r) })
		case "spec":
			f.rawSpec = r.raw()
		case "status":
			f.status = r.spanned(func() { f.readStatus(r) })
		}
	})
	return f
}

// complete decodes the spec and the gates of roles, and decompresses a compressed status.
func (f *framework) complete() error {
	err := f.readSpec()
	if err == nil && !isNull(f.rawGates) {
		err = json.Unmarshal(f.rawGates, &f.gates)
	}
	if err == nil && !f.hasPlainRoles && !isNull(f.compressed) {
		err = f.decompress()
	}
	if err == nil {
		err = f.countItems()
	}
	if err != nil {
		return fmt.Errorf("the Framework does not decode: %w", err)
	}
	return nil
}

func (f *framework) readSpec() error {
	if isNull(f.rawSpec) {
		return nil
	}
	return json.Unmarshal(f.rawSpec, &f.spec)
}

// countItems replaces each taskNumber by the number of Tasks that the role has in the attempt, which follows its items.
func (f *framework) countItems() error {
	for _, r := range f.roles {
		i := slices.IndexFunc(f.spec.TaskRoles, func(s v1.TaskRoleSpec) bool { return s.Name == r.name })
		if i < 0 || isNull(r.items) {
			continue
		}
		var items v1.ItemsStatus
		if err := json.Unmarshal(r.items, &items); err != nil {
			return err
		}
		f.spec.TaskRoles[i].TaskNumber = f.spec.TaskRoles[i].NumberWith(&items)
	}
	return nil
}

// spanned returns the text that read consumes, unchanged.
func (r *reader) spanned(read func()) []byte {
	r.peek()
	start := r.at
	read()
	return r.text[start:r.at]
}

func (f *framework) readMetadata(r *reader) {
	r.members(func(name []byte) {
		switch string(name) {
		case "namespace":
			f.namespace = r.string()
		case "name":
			f.name = r.string()
		case "uid":
			f.uid = r.string()
		case "resourceVersion":
			f.resourceVersion = r.string()
		}
	})
}

func (f *framework) readStatus(r *reader) {
	r.members(func(name []byte) {
		switch string(name) {
		case "state":
			f.state = v1.State(r.string())
		case "tasks":
			f.gated = !isNull(r.raw())
		case "gate":
			f.open = r.string() != ""
		case "gates":
			f.rawGates = r.raw()
		case "conditions":
			f.conditions = r.raw()
		case "attemptStatus":
			f.readAttempt(r)
		}
	})
}

func (f *framework) readAttempt(r *reader) {
	r.members(func(name []byte) {
		switch string(name) {
		case "instanceUID":
			f.attempt = r.string()
		case "taskRoleStatuses":
			f.hasPlainRoles = r.peek() == '['
			f.readRoles(r)
		case "taskRoleStatusesCompressed":
			f.compressed = r.raw()
		}
	})
}

func (f *framework) readRoles(r *reader) {
	r.elements(func() {
		one := role{}
		r.members(func(name []byte) {
			switch string(name) {
			case "name":
				one.name = r.string()
			case "items":
				one.items = r.raw()
			case "taskStatuses":
				r.elements(func() {
					t := readTask(r)
					t.index = len(one.tasks)
					one.tasks = append(one.tasks, t)
				})
			}
		})
		f.roles = append(f.roles, one)
	})
}

func readTask(r *reader) (t task) {
	t.state = r.spanned(func() {
		r.members(func(name []byte) {
			switch string(name) {
			case "deletionPending":
				t.deletionPending = string(r.raw()) == "true"
			case "retryPolicyStatus":
				t.readRetries(r)
			case "attemptStatus":
				t.readAttempt(r)
			}
		})
	})
	return t
}

func (t *task) readRetries(r *reader) {
	r.members(func(name []byte) {
		if string(name) == "retryDelaySec" {
			t.retryWaits = !isNull(r.raw())
		}
	})
}

func (t *task) readAttempt(r *reader) {
	r.members(func(name []byte) {
		switch string(name) {
		case "podName":
			t.pod = r.string()
		case "podIP":
			t.ip = r.string()
		case "podNodeName":
			t.node = r.string()
		case "awaitsTurn":
			t.awaitsTurn = string(r.raw()) == "true"
		}
	})
}

// decompress replaces the status by a plain one.
func (f *framework) decompress() error {
	status, err := statusjson.Decode(f.status)
	if err != nil {
		return err
	}
	if f.status, err = json.Marshal(status); err != nil {
		return err
	}
	r := &reader{text: f.status}
	f.readStatus(r)
	return r.err
}

// json returns the Framework as JSON. The spec has all keys that the original writes, whether they were given or not.
func (f *framework) json() ([][]byte, error) {
	spec, err := json.Marshal(f.spec)
	if err != nil {
		return nil, err
	}
	status := f.status
	if isNull(status) {
		status = []byte("null")
	}
	head, err := json.Marshal(map[string]string{"apiVersion": f.apiVersion, "kind": f.kind})
	if err != nil {
		return nil, err
	}
	return [][]byte{
		head[:len(head)-1],
		[]byte(`,"metadata":`), f.metadata,
		[]byte(`,"spec":`), spec,
		[]byte(`,"status":`), status,
		[]byte("}"),
	}, nil
}
