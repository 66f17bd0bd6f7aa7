package store

import (
	"database/sql"
	"strconv"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// presence is a list of the Frameworks of a cluster whose UIDs are in a range.
type presence struct {
	cluster string
	// version of the storage that the list shows, and the time when it began.
	version, at int64
	from, until string // until is empty if the range is open-ended
	there       map[string]bool
}

// versionOf returns 0 for a version that is not known, or that cannot be compared.
func versionOf(resourceVersion string) int64 {
	n, err := strconv.ParseInt(resourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return max(n, 0)
}

func (b *batch) addPresence(cluster string, at int64, p *pluginpb.PresenceRecord) {
	list := presence{cluster: name(cluster), version: versionOf(p.GetResourceVersion()), at: at,
		from: name(p.GetFrom()), until: name(p.GetUntil()), there: make(map[string]bool, len(p.GetUids()))}
	for _, uid := range p.GetUids() {
		list.there[name(uid)] = true
	}
	b.presences = append(b.presences, list)
}

// absentee is a Framework that a list lacks.
type absentee struct {
	Watched
	id int64
}

// closeAbsent marks Frameworks as deleted that existed at an earlier version than a list, and are not in the list. No UID is used twice, so
// they are gone, whatever the clocks of controllers show, and however late the list arrives. Their revision stays, so that a record of the
// deletion itself replaces the mark.
func (b *batch) closeAbsent(w *writing) error {
	for _, list := range b.presences {
		absent, err := list.absentees(w)
		if err != nil {
			return err
		}
		before := len(b.absent)
		for _, a := range absent {
			n, err := w.exec(`UPDATE framework SET state = 'Deleted', absent = $1, ended = COALESCE(ended, $1)
				WHERE id = $2 AND state <> 'Deleted' AND version > 0 AND version < $3`, list.at, a.id, list.version)
			if err != nil {
				return err
			}
			if n > 0 {
				b.absent = append(b.absent, a.Watched)
			}
		}
		b.count(1, min(len(b.absent)-before, 1))
	}
	return nil
}

// absentees are in the order of their UIDs, the order in which all rows are locked.
func (p presence) absentees(w *writing) (all []absentee, err error) {
	query := `SELECT id, namespace, name, uid FROM framework
		WHERE cluster = $1 AND uid >= $2 AND state <> 'Deleted' AND version > 0 AND version < $3`
	args := []any{p.cluster, p.from, p.version}
	if p.until != "" {
		query += " AND uid < $4"
		args = append(args, p.until)
	}
	err = w.query(query+" ORDER BY uid", args, func(r *sql.Rows) error {
		var a absentee
		if err := r.Scan(&a.id, &a.Namespace, &a.Name, &a.UID); err != nil {
			return err
		}
		if !p.there[a.UID] {
			all = append(all, a)
		}
		return nil
	})
	return all, err
}
