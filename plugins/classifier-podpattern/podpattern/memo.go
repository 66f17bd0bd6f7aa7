package podpattern

import (
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"
)

// memoSize is how many different parameters are kept compiled: enough for the Frameworks whose Pods fail together.
const memoSize = 64

// memo keeps compiled parameters, as many Pods of one Framework come with the same ones.
type memo struct {
	lock  sync.Mutex
	known map[string]compiled
}

type compiled struct {
	rules   *ruleSet
	mistake error
}

// rules compiles parameters. Of wrong ones it returns no rules, and what is wrong.
func (m *memo) rules(parameters *structpb.Struct) (*ruleSet, error) {
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(parameters)
	if err != nil {
		return nil, err
	}
	m.lock.Lock()
	defer m.lock.Unlock()
	if c, found := m.known[string(encoded)]; found {
		return c.rules, c.mistake
	}
	if m.known == nil || len(m.known) >= memoSize {
		m.known = map[string]compiled{}
	}
	c := compileOwn(parameters)
	m.known[string(encoded)] = c
	return c.rules, c.mistake
}

func compileOwn(parameters *structpb.Struct) compiled {
	rules, err := compile(parameters)
	if err != nil {
		return compiled{nil, err}
	}
	rules.where = "spec.plugins: "
	return compiled{&rules, nil}
}
