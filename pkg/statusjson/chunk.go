package statusjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// chunkTasks is the number of Tasks that are encoded and compressed together. A gzip file may consist of several separately
// compressed parts, so a changed Task costs only its own chunk. A role of more than manyTasks has larger chunks, as each begins
// without knowledge of the others: its status has to fit into one object even if all Tasks have completed.
const (
	chunkTasks     = 64
	manyTasks      = 8192
	manyChunkTasks = 128
)

func chunkSize(tasks int) int {
	if tasks > manyTasks {
		return manyChunkTasks
	}
	return chunkTasks
}

// chunk is a run of Tasks in the JSON of the roles, with the text before and after it. All chunks together are the whole JSON.
type chunk struct {
	before, after string
	tasks         []*v1.TaskStatus

	raw  []byte
	ends []int32 // where the text of each Task ends in raw
	gzip []byte  // nil until it is needed
}

func (c *chunk) same(other *chunk) bool {
	return c.before == other.before && c.after == other.after && slices.Equal(c.tasks, other.tasks)
}

// update updates the chunks to the roles, and keeps unchanged ones.
func (e *Encoder) update(roles []Role) error {
	next, err := split(roles)
	if err != nil {
		return err
	}
	for i, c := range next {
		previous := &chunk{}
		if i < len(e.chunks) {
			previous = e.chunks[i]
		}
		if previous.same(c) {
			next[i] = previous
			continue
		}
		if err := c.encode(e.cut, previous); err != nil {
			return err
		}
	}
	e.chunks = next
	return nil
}

// split divides the roles into chunks without encoding them.
func split(roles []Role) ([]*chunk, error) {
	chunks := []*chunk{}
	for i := range roles {
		head, err := head(&roles[i])
		if err != nil {
			return nil, err
		}
		if i > 0 {
			head = "," + head
		}
		first := len(chunks)
		for tasks := range slices.Chunk(roles[i].Tasks, chunkSize(len(roles[i].Tasks))) {
			chunks = append(chunks, &chunk{before: ",", tasks: tasks})
		}
		if len(chunks) == first {
			chunks = append(chunks, &chunk{})
		}
		chunks[first].before = head
		chunks[len(chunks)-1].after = "]}"
	}
	if len(chunks) == 0 {
		chunks = append(chunks, &chunk{})
	}
	chunks[0].before = "[" + chunks[0].before
	chunks[len(chunks)-1].after += "]"
	return chunks, nil
}

// head returns the JSON of a role up to its first Task.
func head(r *Role) (string, error) {
	text, err := json.Marshal(v1.TaskRoleStatus{
		Name:                          r.Name,
		InstanceUID:                   r.InstanceUID,
		PodGracefulDeletionTimeoutSec: r.PodGracefulDeletionTimeoutSec,
		RetriedCount:                  r.RetriedCount,
		Items:                         r.Items,
		TaskStatuses:                  []v1.TaskStatus{},
	})
	if err != nil {
		return "", fmt.Errorf("encoding role %s: %w", r.Name, err)
	}
	return string(bytes.TrimSuffix(text, []byte("]}"))), nil
}

// encode takes the text of unchanged Tasks from the previous chunk.
func (c *chunk) encode(cut Cutting, previous *chunk) error {
	texts := make([][]byte, len(c.tasks))
	c.ends = make([]int32, len(c.tasks))
	end := len(c.before)
	for i, task := range c.tasks {
		if texts[i] = previous.text(i, task); texts[i] == nil {
			var err error
			if texts[i], err = json.Marshal(cut.apply(task)); err != nil {
				return fmt.Errorf("encoding Task %s: %w", task.AttemptStatus.PodName, err)
			}
		}
		end += len(texts[i])
		c.ends[i] = int32(end)
		end += len(",")
	}
	c.raw = slices.Concat([]byte(c.before), bytes.Join(texts, []byte(",")), []byte(c.after))
	return nil
}

// text returns the text of the Task at index i, or nil if another one is there.
func (c *chunk) text(i int, task *v1.TaskStatus) []byte {
	switch {
	case i >= len(c.tasks) || c.tasks[i] != task:
		return nil
	case i == 0:
		return c.raw[len(c.before):c.ends[0]]
	}
	return c.raw[int(c.ends[i-1])+len(",") : c.ends[i]]
}

func (c *chunk) compressed() ([]byte, error) {
	if c.gzip != nil {
		return c.gzip, nil
	}
	w := gzipWriters.Get().(*gzip.Writer)
	defer gzipWriters.Put(w)
	var out bytes.Buffer
	w.Reset(&out)
	if _, err := w.Write(c.raw); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compressing: %w", err)
	}
	c.gzip = out.Bytes()
	return c.gzip, nil
}

// gzipWriters are reused, since each is large.
var gzipWriters = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
