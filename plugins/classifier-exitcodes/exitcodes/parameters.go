package exitcodes

import (
	"fmt"
	"maps"
	"slices"

	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// spec is the form of the parameters.
type spec struct {
	Codes      tableSpec            `json:"codes"`
	Namespaces map[string]tableSpec `json:"namespaces"`
	TaskRoles  map[string]tableSpec `json:"taskRoles"`
	// Nil disables it, like OutOfMemory.
	SameCodeOnNodes *sameCodeOnNodes `json:"sameCodeOnNodes"`
	OutOfMemory     *outOfMemory     `json:"outOfMemory"`
}

type tableSpec map[string]meaning

// meaning is the meaning of an exit code. It has the form of an entry of podFailureSpec.
type meaning struct {
	// Code of the verdict; nil for the exit code itself.
	Code   *int32 `json:"code"`
	Phrase string `json:"phrase"`
	Type   kind   `json:"type"`
}

type kind struct {
	// Failed, or absent.
	Name       string   `json:"name"`
	Attributes []string `json:"attributes"`
}

// sameCodeOnNodes: a code that occurred on that many different nodes is not the fault of a node.
type sameCodeOnNodes struct {
	Nodes int `json:"nodes"`
	// Exit codes that count; if absent, 1 to 127, which programs choose themselves.
	Codes []string `json:"codes"`
	// If absent, SameCodeOnNodes.
	Phrase string `json:"phrase"`

	ranges []codeRange
}

// outOfMemory: a container that was killed for the memory it used is retried that many times, and then fails for good.
type outOfMemory struct {
	Times int `json:"times"`
}

// policy is the compiled form of the parameters.
type policy struct {
	codes                 table
	namespaces, taskRoles map[string]table
	sameCodeOnNodes       *sameCodeOnNodes
	outOfMemory           *outOfMemory
}

// mostEarlier is the maximum number of earlier verdicts in the contract.
const mostEarlier = 16

// compile checks parameters. An error names the parameter.
func compile(s *structpb.Struct) (*policy, error) {
	var spec spec
	if err := plugin.Decode(s, &spec); err != nil {
		return nil, err
	}
	p := &policy{sameCodeOnNodes: spec.SameCodeOnNodes, outOfMemory: spec.OutOfMemory}
	var err error
	if p.codes, err = compileTable("codes", spec.Codes); err != nil {
		return nil, err
	}
	if p.namespaces, err = compileTables("namespaces", spec.Namespaces); err != nil {
		return nil, err
	}
	if p.taskRoles, err = compileTables("taskRoles", spec.TaskRoles); err != nil {
		return nil, err
	}
	if o := p.outOfMemory; o != nil && (o.Times < 1 || o.Times > mostEarlier) {
		return nil, fmt.Errorf("outOfMemory.times: must be from 1 to %d, but is %d", mostEarlier, o.Times)
	}
	return p, p.sameCodeOnNodes.complete()
}

func (s *sameCodeOnNodes) complete() error {
	if s == nil {
		return nil
	}
	if s.Nodes < 2 || s.Nodes > mostEarlier {
		return fmt.Errorf("sameCodeOnNodes.nodes: must be from 2 to %d, but is %d", mostEarlier, s.Nodes)
	}
	if s.Phrase == "" {
		s.Phrase = "SameCodeOnNodes"
	}
	if err := checkPhrase("sameCodeOnNodes.phrase", s.Phrase); err != nil {
		return err
	}
	if s.Codes == nil {
		s.Codes = []string{"1-127"}
	}
	for i, text := range s.Codes {
		r, err := parseRange(fmt.Sprintf("sameCodeOnNodes.codes[%d]", i), text)
		if err != nil {
			return err
		}
		s.ranges = append(s.ranges, r)
	}
	return nil
}

func compileTables(key string, specs map[string]tableSpec) (map[string]table, error) {
	out := map[string]table{}
	for _, name := range slices.Sorted(maps.Keys(specs)) {
		t, err := compileTable(key+"."+name, specs[name])
		if err != nil {
			return nil, err
		}
		out[name] = t
	}
	return out, nil
}

func (m meaning) check(key string, of codeRange) error {
	if err := checkPhrase(key+".phrase", m.Phrase); err != nil {
		return err
	}
	if m.Type.Name != "" && m.Type.Name != "Failed" {
		return fmt.Errorf("%s.type.name: must be Failed, or absent, but is %q", key, m.Type.Name)
	}
	if err := podverdict.CheckAttributes(m.Type.Attributes); err != nil {
		return fmt.Errorf("%s.type.attributes: %w", key, err)
	}
	if m.Code != nil && completion.IsReserved(*m.Code) {
		return fmt.Errorf("%s.code: %d is the controller's own", key, *m.Code)
	}
	if of.single() && slices.Contains(predefined, of.min) {
		return fmt.Errorf("%s: %d is the controller's own, and has the same meaning everywhere", key, of.min)
	}
	if m.Code == nil && of.single() && completion.IsReserved(of.min) {
		return fmt.Errorf("%s: %d is the controller's own, so code is required: add one of your own", key, of.min)
	}
	return nil
}

func checkPhrase(key, phrase string) error {
	if err := podverdict.CheckPhrase(phrase); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

func (m meaning) completionType() *pluginpb.CompletionType {
	return plugin.Failed(m.Type.Attributes...)
}
