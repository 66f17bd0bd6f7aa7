package lifecycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// newUID returns a UID in the form of a random UUID. Within a round it depends only on its arguments, not on other steps of the
// round.
func (r *round) newUID(kind, name string, index int32) string {
	b := r.random(kind, name, strconv.Itoa(int(index)))
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	s := hex.EncodeToString(b[:16])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// newTurnUID returns the UID of a Task that gets its first turn. All but its end is equal to the UID of the role, and the end has a
// number drawn in this round before the index: the UIDs of thousands of Tasks that have completed have to fit into one status, and
// random ones do not compress.
func (t task) newTurnUID() string {
	start := strings.LastIndexByte(t.role.instanceUID, '-') + 1
	if start == 0 {
		return t.r.newUID("task", t.role.name, t.index) // a role of an old status without UIDs
	}
	drawn := t.r.random("turn", t.role.name)
	return t.role.instanceUID[:start] + hex.EncodeToString(drawn[:4])[:7] + fmt.Sprintf("%05x", t.index)
}

func (r *round) random(purpose ...string) [sha256.Size]byte {
	text := append([]byte{}, r.in.Seed[:]...)
	for _, p := range purpose {
		text = append(append(text, 0), p...)
	}
	return sha256.Sum256(text)
}
