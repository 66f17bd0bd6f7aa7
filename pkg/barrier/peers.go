package barrier

import "encoding/json"

// peersFile is peers.json: the members of the gang, for programs that do not need the whole Framework.
type peersFile struct {
	Namespace string `json:"namespace"`
	Framework string `json:"framework"`
	// instanceUID of the attempt, the same for all Pods of a gang.
	Attempt string     `json:"frameworkAttemptInstanceUID"`
	Roles   []peerRole `json:"taskRoles"` // in the order of the status, as in injector.sh
}

type peerRole struct {
	Name  string `json:"name"`
	Tasks []peer `json:"tasks"`
}

type peer struct {
	Index int    `json:"index"`
	IP    string `json:"ip"`
	Pod   string `json:"pod"`
	Node  string `json:"node"`
}

func (f *framework) peersJSON() []byte {
	out := peersFile{Namespace: f.namespace, Framework: f.name, Attempt: f.attempt, Roles: []peerRole{}}
	for _, r := range f.peers() {
		one := peerRole{Name: r.name, Tasks: []peer{}}
		for _, t := range r.tasks {
			one.Tasks = append(one.Tasks, peer{Index: t.index, IP: t.ip, Pod: t.pod, Node: t.node})
		}
		out.Roles = append(out.Roles, one)
	}
	text, _ := json.Marshal(out) // it has no value that could fail
	return append(text, '\n')
}

// hosts has the form of /etc/hosts, with the names of the Pods, which are their hostnames unless the template sets
// others.
func (f *framework) hosts() []byte {
	return f.lines(func(line []byte, t task) []byte { return append(append(append(line, t.ip...), '\t'), t.pod...) })
}

// hostfile has the form that mpirun, horovodrun and deepspeed read.
func (f *framework) hostfile() []byte {
	return f.lines(func(line []byte, t task) []byte { return append(append(line, t.ip...), " slots=1"...) })
}

// lines has a line for each Task.
func (f *framework) lines(add func(line []byte, t task) []byte) (out []byte) {
	for _, r := range f.peers() {
		for _, t := range r.tasks {
			out = append(add(out, t), '\n')
		}
	}
	return out
}
