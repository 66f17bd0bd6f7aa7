package podpattern

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// memoSize is the number of different parameters kept compiled: enough for the Frameworks whose Pods fail together.
// None exceeds the limits of checkSizes.
const memoSize = 64

// memo caches compiled parameters, as many Pods of one Framework have the same ones.
type memo struct {
	lock  sync.Mutex
	known map[digest]*compiled
}

// digest identifies parameters, which may be much larger than their compiled form.
type digest [sha256.Size]byte

// compiled is the result of compiling parameters once.
type compiled struct {
	once    sync.Once
	rules   *ruleSet
	mistake error
}

// rules compiles parameters. For wrong ones it returns the mistake, and no rules. Only callers with the same parameters
// wait for each other.
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
	if i := slices.IndexFunc(specs, func(s completion.RuleSpec) bool { return s.Shadow }); i >= 0 {
		return nil, fmt.Errorf("podFailureSpec[%d].shadow: is for the configuration of the controller only, which counts the verdicts", i)
	}
	rules, err := ruleSetOf(specs)
	if err != nil {
		return nil, err
	}
	rules.where = "spec.plugins: "
	return &rules, nil
}
