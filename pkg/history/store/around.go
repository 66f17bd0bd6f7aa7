package store

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/logs"
)

// mostShown limits the text of one line of all Tasks, in bytes.
const mostShown = 4 << 10

// AroundQuery selects lines of all Tasks of an attempt around a time.
type AroundQuery struct {
	// UID selects one of several Frameworks with the same name; without it, the newest is taken.
	Namespace, Name, UID string
	// Attempt of the Framework; nil is the newest with logs.
	Attempt *int32
	Time    time.Time
	// Window is how far lines may be from the time, on both sides.
	Window time.Duration
	// Limit of lines: the nearest ones to the time.
	Limit int
}

// Around returns lines in the order of their times.
func (s *Store) Around(ctx context.Context, q AroundQuery) (page historyapi.Page[historyapi.LogLine], err error) {
	page.Items = []historyapi.LogLine{}
	_, fw, err := s.find(ctx, q.Namespace, q.Name, q.UID)
	if err != nil {
		return page, err
	}
	at := bounded(q.Time)
	window := q.Window.Microseconds()
	// The chunks nearest to the time come first, so that the others need not be unpacked.
	query := `SELECT l.role, l.idx, l.attempt, l.container, c.data,
		CASE WHEN c.first > $3 THEN c.first - $3 WHEN c.last < $3 THEN $3 - c.last ELSE 0 END AS distance
		FROM log l JOIN log_chunk c ON c.log = l.id
		WHERE l.fw = $1 AND l.fw_attempt = COALESCE($2, (SELECT MAX(fw_attempt) FROM log WHERE fw = $1)) AND c.last >= $4 AND c.first <= $5
		ORDER BY distance, l.id, c.part, c.seq`
	rows, err := s.readers.QueryContext(ctx, s.dialect.bind(query), fw, q.Attempt, at, at-window, at+window)
	if err != nil {
		return page, err
	}
	defer rows.Close()
	near := nearest{at: q.Time.UnixNano(), limit: q.Limit, within: int64(q.Window)}
	for rows.Next() {
		var l historyapi.LogLine
		var distance int64
		var data sql.RawBytes
		if err := rows.Scan(&l.Role, &l.Index, &l.Attempt, &l.Container, &data, &distance); err != nil {
			return page, err
		}
		if near.full() && distance*1000 > near.lines[0].distance {
			break
		}
		b, err := logs.Unpack(data)
		if err != nil {
			return page, err
		}
		near.add(l, b)
	}
	page.Items = append(page.Items, near.sorted()...)
	return page, rows.Err()
}

// nearest keeps the lines that are nearest to a time. It is a heap with the farthest one first.
type nearest struct {
	at, within int64 // nanoseconds
	limit      int
	lines      []nearLine
	next       int // counts lines
}

type nearLine struct {
	historyapi.LogLine
	time, distance int64
	number         int
}

func (n *nearest) full() bool { return len(n.lines) >= n.limit }

func (n *nearest) Len() int           { return len(n.lines) }
func (n *nearest) Less(i, j int) bool { return n.lines[i].distance > n.lines[j].distance }
func (n *nearest) Swap(i, j int)      { n.lines[i], n.lines[j] = n.lines[j], n.lines[i] }
func (n *nearest) Push(x any)         { n.lines = append(n.lines, x.(nearLine)) }
func (n *nearest) Pop() any {
	last := n.lines[len(n.lines)-1]
	n.lines = n.lines[:len(n.lines)-1]
	return last
}

// add adds the lines of a block that are near enough. A line in pieces is as many lines here.
func (n *nearest) add(of historyapi.LogLine, b *logs.Block) {
	b.Each(func(l logs.Line) bool {
		distance := max(l.Time-n.at, n.at-l.Time)
		if l.Time == 0 || distance > n.within || n.full() && distance >= n.lines[0].distance {
			return true
		}
		n.next++
		of.Time, of.Text = time.Unix(0, l.Time).UTC(), shownText(l.Text)
		heap.Push(n, nearLine{of, l.Time, distance, n.next})
		if len(n.lines) > n.limit {
			heap.Pop(n)
		}
		return true
	})
}

func shownText(text []byte) string {
	text = bytes.TrimSuffix(text, []byte("\n"))
	return strings.ToValidUTF8(string(text[:min(len(text), mostShown)]), "\uFFFD")
}

func (n *nearest) sorted() (all []historyapi.LogLine) {
	slices.SortFunc(n.lines, func(a, b nearLine) int { return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.number, b.number)) })
	for _, l := range n.lines {
		all = append(all, l.LogLine)
	}
	return all
}
