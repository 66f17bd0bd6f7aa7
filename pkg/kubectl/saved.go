package kubectl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history"
)

// saved has the current objects of the cluster, or the past ones from a file.
type saved struct {
	frameworks []*stored
	// The remaining fields come only from the history.
	tasks []*savedTask
	pods  map[types.UID]*corev1.Pod
	// judged are failures from the history server, which come without Frameworks.
	judged []*failure
	// unread has the position and the error of each line that cannot be read.
	unread []string
}

// savedTask is a Task of the history.
type savedTask struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     *v1.TaskSpec      `json:"spec"`
	Status   *v1.TaskStatus    `json:"status"`
	// TaskRole is nil if the role is not restarted as a whole, or if the controller was too old to write it.
	TaskRole *history.RoleRetries `json:"taskRole"`
}

// readSaved reads the output of kubectl get fw -o json, or the log of a controller. The file - is standard input.
func (c *caller) readSaved(path string) (*saved, error) {
	text, err := c.readFile(path)
	if err != nil {
		return nil, err
	}
	s := &saved{pods: map[types.UID]*corev1.Pod{}}
	if jsonErr := s.readJSON(text); jsonErr != nil {
		if !s.readLog(text) {
			return nil, fmt.Errorf("%s contains neither output of kubectl get fw -o json, nor the history of a controller: %w", path, jsonErr)
		}
	}
	return s, nil
}

func (c *caller) readFile(path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(c.In)
	}
	return os.ReadFile(path)
}

// readJSON reads lists and Frameworks, one after the other.
func (s *saved) readJSON(text []byte) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return errors.New("it is empty")
	}
	documents := json.NewDecoder(bytes.NewReader(text))
	var all []*stored
	for {
		var raw json.RawMessage
		err := documents.Decode(&raw)
		if errors.Is(err, io.EOF) {
			s.frameworks = all
			return nil
		}
		if err != nil {
			return err
		}
		found, err := frameworksIn(raw)
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
}

// frameworksIn returns the Frameworks of a list, or the object itself if it is one.
func frameworksIn(raw json.RawMessage) (all []*stored, err error) {
	var list struct {
		rawList
		Kind string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	if list.Items == nil && list.Kind == v1.FrameworkKind {
		list.Items = []json.RawMessage{raw}
	}
	if list.Items == nil {
		return nil, fmt.Errorf("it contains a %q, which is neither a Framework nor a list", list.Kind)
	}
	for _, item := range list.Items {
		s, err := parse(item)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// readLog reads the lines of the history, and reports whether there are any.
func (s *saved) readLog(text []byte) (some bool) {
	number := 0
	for line := range bytes.Lines(text) {
		number++
		object, ok := history.Read(line)
		if !ok {
			continue
		}
		some = true
		if err := s.add(object); err != nil {
			s.unread = append(s.unread, fmt.Sprintf("line %d: %v", number, err))
		}
	}
	return some
}

// add adds an object of the history.
func (s *saved) add(object json.RawMessage) error {
	var is metav1.TypeMeta
	if err := json.Unmarshal(object, &is); err != nil {
		return err
	}
	switch is.Kind {
	case v1.FrameworkKind:
		f, err := parse(object)
		if err == nil {
			s.frameworks = append(s.frameworks, f)
		}
		return err
	case "Task":
		t := &savedTask{}
		err := json.Unmarshal(object, t)
		if err == nil && t.Status != nil {
			s.tasks = append(s.tasks, t)
		}
		return err
	case "Pod":
		pod := &corev1.Pod{}
		err := json.Unmarshal(object, pod)
		if err == nil {
			s.pods[pod.UID] = pod
		}
		return err
	}
	return fmt.Errorf("it contains a %q, which is not part of a history", is.Kind)
}
