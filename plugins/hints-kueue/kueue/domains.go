package kueue

import "cmp"

// topologyAssignment has the number of Pods of a pod set that Kueue assigns to each domain. Values that many domains share are written
// once.
type topologyAssignment struct {
	Levels []string        `json:"levels"`
	Slices []topologySlice `json:"slices"`
}

type topologySlice struct {
	DomainCount    int           `json:"domainCount"`
	ValuesPerLevel []levelValues `json:"valuesPerLevel"`
	PodCounts      podCounts     `json:"podCounts"`
}

// levelValues has one of the two.
type levelValues struct {
	Universal  *string           `json:"universal"`
	Individual *individualValues `json:"individual"`
}

type individualValues struct {
	Prefix string   `json:"prefix"`
	Suffix string   `json:"suffix"`
	Roots  []string `json:"roots"`
}

// podCounts has one of the two.
type podCounts struct {
	Universal  *int32  `json:"universal"`
	Individual []int32 `json:"individual"`
}

// domain is a set of nodes, with the number of Pods to place on them.
type domain struct {
	nodes map[string]string
	pods  int32
}

// domains returns the domains of an assignment, in Kueue's order; none without an assignment.
func (t *topologyAssignment) domains() []domain {
	if t == nil {
		return nil
	}
	var out []domain
	for _, s := range t.Slices {
		for i := range s.DomainCount {
			d := domain{nodes: map[string]string{}, pods: s.PodCounts.of(i)}
			for level, values := range s.ValuesPerLevel {
				if level < len(t.Levels) {
					d.nodes[t.Levels[level]] = values.of(i)
				}
			}
			out = append(out, d)
		}
	}
	return out
}

func (v levelValues) of(i int) string {
	if v.Individual == nil || i >= len(v.Individual.Roots) {
		return *cmp.Or(v.Universal, new(string))
	}
	return v.Individual.Prefix + v.Individual.Roots[i] + v.Individual.Suffix
}

func (c podCounts) of(i int) int32 {
	if i >= len(c.Individual) {
		return *cmp.Or(c.Universal, new(int32))
	}
	return c.Individual[i]
}
