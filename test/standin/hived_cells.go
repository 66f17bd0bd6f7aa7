package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// cellConfig lists the cells, and their owners.
type cellConfig struct {
	Nodes           map[string]cellNode       `json:"nodes"`
	VirtualClusters map[string]virtualCluster `json:"virtualClusters"`
}

// cellNode is a node with cells of one type.
type cellNode struct {
	LeafCellType string `json:"leafCellType"`
	Cells        int    `json:"cells"`
	PinnedCellID string `json:"pinnedCellId"` // empty if any virtual cluster may use it
}

type virtualCluster struct {
	Cells         map[string]int `json:"cells"` // number of cells of each type
	PinnedCellIDs []string       `json:"pinnedCellIds"`
}

// errNoRoom is temporary.
var errNoRoom = errors.New("insufficient capacity when scheduling in VC")

// place finds cells for a whole group. Errors other than errNoRoom mean that it never fits, with HiveD's messages.
func (h *hived) place(spec schedulingSpec) ([]*seat, error) {
	vc, known := h.cells.VirtualClusters[spec.VirtualCluster]
	noRoom := fmt.Errorf("%w %s", errNoRoom, spec.VirtualCluster)
	switch {
	case !known:
		return nil, fmt.Errorf("VC %s does not exist", spec.VirtualCluster)
	case spec.PinnedCellID != "" && !slices.Contains(vc.PinnedCellIDs, spec.PinnedCellID):
		return nil, fmt.Errorf("VC %s does not have pinned cell %s", spec.VirtualCluster, spec.PinnedCellID)
	case spec.PinnedCellID != "":
		if seats := h.placeOn(spec, func(n cellNode) bool { return n.PinnedCellID == spec.PinnedCellID }); seats != nil {
			return seats, nil
		}
		return nil, noRoom
	case spec.LeafCellType != "" && !h.hasType(spec.LeafCellType):
		return nil, fmt.Errorf("requesting leaf cell type %s which the whole cluster does not have", spec.LeafCellType)
	}
	for _, kind := range slices.Sorted(maps.Keys(vc.Cells)) {
		if spec.LeafCellType != "" && kind != spec.LeafCellType || h.usedIn(spec.VirtualCluster, kind)+spec.cells() > vc.Cells[kind] {
			continue
		}
		if seats := h.placeOn(spec, func(n cellNode) bool { return n.LeafCellType == kind && n.PinnedCellID == "" }); seats != nil {
			return seats, nil
		}
	}
	return nil, noRoom
}

func (h *hived) hasType(kind string) bool {
	for _, n := range h.cells.Nodes {
		if n.LeafCellType == kind {
			return true
		}
	}
	return false
}

// usedIn is the number of cells of a type that a virtual cluster uses, without pinned ones.
func (h *hived) usedIn(vc, kind string) int {
	used := 0
	for _, g := range h.groups {
		if g.spec.VirtualCluster == vc && g.spec.PinnedCellID == "" && h.cells.Nodes[g.seats[0].node].LeafCellType == kind {
			used += g.spec.cells()
		}
	}
	return used
}

// placeOn finds cells on some of the nodes; nil if they do not do for the whole group.
func (h *hived) placeOn(spec schedulingSpec, on func(cellNode) bool) []*seat {
	free := h.freeCells()
	members := slices.Clone(spec.AffinityGroup.Members)
	slices.SortFunc(members, func(a, b member) int { return b.LeafCellNumber - a.LeafCellNumber })
	var seats []*seat
	for _, m := range members {
		for range m.PodNumber {
			node := firstWith(free, m.LeafCellNumber, func(name string) bool { return on(h.cells.Nodes[name]) })
			if node == "" {
				return nil
			}
			seats = append(seats, &seat{node: node, cells: free[node][:m.LeafCellNumber]})
			free[node] = free[node][m.LeafCellNumber:]
		}
	}
	return seats
}

func firstWith(free map[string][]int, cells int, on func(string) bool) string {
	for _, node := range slices.Sorted(maps.Keys(free)) {
		if on(node) && len(free[node]) >= cells {
			return node
		}
	}
	return ""
}

// freeCells returns the cells of each node that no group has.
func (h *hived) freeCells() map[string][]int {
	free := map[string][]int{}
	for name, n := range h.cells.Nodes {
		for cell := range n.Cells {
			free[name] = append(free[name], cell)
		}
	}
	for _, g := range h.groups {
		for _, s := range g.seats {
			free[s.node] = slices.DeleteFunc(free[s.node], func(cell int) bool { return slices.Contains(s.cells, cell) })
		}
	}
	return free
}
