package records

import (
	"slices"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// presenceBytes limits the UIDs in one record, so that a sink checks a few thousand Frameworks at a time.
const presenceBytes = 128 << 10

// Presence returns the records of a list of all Frameworks: the UIDs that it found, in any order, and its resourceVersion. At is the time
// when it began. Together, the records cover all UIDs, and the same list gives records with the same keys.
func Presence(uids []string, version string, at time.Time) (all []*pluginpb.Record) {
	uids = slices.Compact(slices.Sorted(slices.Values(uids)))
	from := ""
	for {
		n, size := 0, 0
		for n < len(uids) && (n == 0 || size+len(uids[n]) <= presenceBytes) {
			size += len(uids[n])
			n++
		}
		p := &pluginpb.PresenceRecord{ResourceVersion: version, From: from, Uids: uids[:n:n]}
		if uids = uids[n:]; len(uids) > 0 {
			p.Until = uids[0]
		}
		all = append(all, &pluginpb.Record{
			Key: "presence/" + version + "/" + number(int64(len(all))), Time: timestamp(at), Content: &pluginpb.Record_Presence{Presence: p},
		})
		if from = p.Until; from == "" {
			return all
		}
	}
}
