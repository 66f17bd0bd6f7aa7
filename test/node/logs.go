package node

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// The kubelet removes the logs of a Pod with the Pod, which tests often look at too late. So each file gets a second name as soon as it
// exists.
const (
	podLogs  = "/var/log/pods"
	keptLogs = "/var/log/kept-pods" // on the same file system
)

// keepLogs does that until the process ends.
func keepLogs() {
	for range time.Tick(50 * time.Millisecond) {
		found, _ := filepath.Glob(filepath.Join(podLogs, "*", "*", "*.log"))
		for _, path := range found {
			kept := keptLogs + strings.TrimPrefix(path, podLogs)
			if err := os.Link(path, kept); os.IsNotExist(err) {
				os.MkdirAll(filepath.Dir(kept), 0o755) // then the next time
			}
		}
	}
}

// Log returns the output of the containers of that name, for all Pods of that name that existed, the oldest first.
func (n *Node) Log(namespace, pod, container string) string {
	var out strings.Builder
	for _, path := range logsOf(namespace, pod, container) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		for line := range strings.Lines(string(text)) {
			out.WriteString(withoutStamp(line))
		}
	}
	return out.String()
}

// LogFiles are the log files of one container since its first start, the newest first. The kubelet serves the newest one only; the others
// were rotated, and some of them are compressed. The oldest may be gone.
func (n *Node) LogFiles(namespace, pod, container string) []string {
	newest := filepath.Join(podLogs, fmt.Sprintf("%s_%s_*", namespace, pod), container, "0.log")
	rotated, _ := filepath.Glob(newest + ".*-*[0-9z]") // without files that are being compressed
	slices.Sort(rotated)
	files, _ := filepath.Glob(newest)
	slices.Reverse(rotated)
	return append(files, rotated...)
}

// Began returns when the first of these containers wrote its first line; zero if none has.
func (n *Node) Began(namespace, pod, container string) time.Time {
	for _, path := range logsOf(namespace, pod, container) {
		return began(path)
	}
	return time.Time{}
}

func logsOf(namespace, pod, container string) []string {
	// The last parts are the UID of the Pod, and the number of the restart.
	paths, _ := filepath.Glob(filepath.Join(keptLogs, fmt.Sprintf("%s_%s_*", namespace, pod), container, "*.log"))
	slices.SortFunc(paths, func(a, b string) int { return began(a).Compare(began(b)) })
	return paths
}

// Logs returns the output of all containers in a namespace, each after a line with its name.
func (n *Node) Logs(namespace string) string {
	dirs, _ := filepath.Glob(filepath.Join(keptLogs, namespace+"_*", "*"))
	var out strings.Builder
	said := map[string]bool{}
	for _, dir := range dirs {
		pod, container := strings.Split(filepath.Base(filepath.Dir(dir)), "_")[1], filepath.Base(dir)
		if key := pod + "/" + container; !said[key] {
			fmt.Fprintf(&out, "--- %s in Pod %s\n%s", container, pod, n.Log(namespace, pod, container))
			said[key] = true
		}
	}
	return out.String()
}

// withoutStamp removes the text that the runtime writes before each line: the time, the stream, and P if another piece of the line follows,
// or else F.
func withoutStamp(line string) string {
	fields := strings.SplitN(line, " ", 4)
	text := fields[len(fields)-1]
	if len(fields) == 4 && fields[2] == "P" {
		return strings.TrimSuffix(text, "\n")
	}
	return text
}

// began is the time of the first line; no line is the latest.
func began(log string) time.Time {
	text, err := os.ReadFile(log)
	stamp, _, _ := strings.Cut(string(text), " ")
	t, parse := time.Parse(time.RFC3339Nano, stamp)
	if err != nil || parse != nil {
		return time.Now()
	}
	return t
}
