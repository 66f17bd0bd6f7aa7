package podpattern

import (
	"crypto/sha256"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// memoSize is how many different parameters are kept compiled: enough for the Frameworks whose Pods fail together. None is
// larger than checkSizes allows.
const memoSize = 64

// memo keeps compiled parameters, as many Pods of one Framework come with the same ones.
type memo struct {
	lock  sync.Mutex
	known map[digest]*compiled
}

// digest stands for parameters, which may be much larger than what is made of them.
type digest [sha256.Size]byte

// compiled is what was made of parameters, once.
type compiled struct {
	once    sync.Once
	rules   *ruleSet
	mistake error
}

// rules compiles parameters. Of wrong ones it returns no rules, and what is wrong. Only who has the same parameters waits
// for it.
func (m *memo) rules(parameters *structpb.Struct) (*ruleSet, error) {
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(parameters)
	if err != nil {
		return nil, err
	}
	c := m.entry(sha256.Sum256(encoded))
	c.once.Do(func() { c.rules, c.mistake = compileOwn(parameters) })
	return c.rules, c.mistake
}

func (m *memo) entry(of digest) *compiled {
	m.lock.Lock()
	defer m.lock.Unlock()
	if c, found := m.known[of]; found {
		return c
	}
	if m.known == nil || len(m.known) >= memoSize {
		m.known = map[digest]*compiled{}
	}
	c := &compiled{}
	m.known[of] = c
	return c
}

func compileOwn(parameters *structpb.Struct) (*ruleSet, error) {
	specs, err := podverdict.Specs(parameters)
	if err != nil {
		return nil, err
	}
	if err := checkSizes(specs); err != nil {
		return nil, err
	}
	rules, err := ruleSetOf(specs)
	if err != nil {
		return nil, err
	}
	rules.where = "spec.plugins: "
	return &rules, nil
}
