package store

import (
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

const (
	// mostContent limits a content, in bytes. A Pod, or a Framework in the API server, has at most 1.5 MiB.
	mostContent = 2 << 20
	// renewAfter is the age at which a content that is sent again is marked as new.
	renewAfter = time.Hour
	// keepContents is how long a content is kept that nothing refers to yet: the record with the reference may arrive later, because a
	// sender does not repeat a content for some minutes after its acknowledgement.
	keepContents = 24 * time.Hour
)

func contentDigest(text []byte) (d digest) {
	sum := sha256.Sum256(text)
	copy(d[:], sum[:])
	return d
}

// referenceTo returns the digest in a record, in the form of the table; nil if it is invalid.
func referenceTo(digest string) []byte {
	sum, err := hex.DecodeString(digest)
	if err != nil || len(sum) != sha256.Size {
		return nil
	}
	return sum[:16]
}

// addObject takes the content of an object, unless it is not JSON.
func (b *batch) addObject(o *pluginpb.ObjectRecord) {
	if json.Valid(o.GetContent()) {
		b.addContent(o.GetContent())
	}
}

// addContent returns the reference to a text; nil if it is too long to be stored.
func (b *batch) addContent(text []byte) []byte {
	if len(text) > mostContent {
		return nil
	}
	d := contentDigest(text)
	b.contents[d] = text
	return d[:]
}

// insertContents stores the new contents of the batch, and renews the mark of contents that were marked long ago.
func (b *batch) insertContents(w *writing) error {
	now := time.Now().UnixMicro()
	digests := slices.SortedFunc(maps.Keys(b.contents), digest.compare)
	var keys [][]any
	for _, d := range digests {
		keys = append(keys, []any{d[:]})
	}
	fresh := map[digest]bool{}
	err := w.among("SELECT digest, sent FROM content WHERE digest", keys, func(r *sql.Rows) error {
		var key []byte
		var sent int64
		err := r.Scan(&key, &sent)
		fresh[digest(key)] = now-sent <= renewAfter.Microseconds()
		return err
	})
	if err != nil {
		return err
	}
	var rows [][]any
	for _, d := range digests {
		if !fresh[d] {
			rows = append(rows, []any{d[:], now, len(b.contents[d]), pack(b.contents[d])})
		}
	}
	// A replica of the server may have deleted an existing content in the meantime.
	return w.insert(into{"content", "digest, sent, size, packed", "ON CONFLICT (digest) DO UPDATE SET sent = excluded.sent"}, rows, nil)
}

// insertUses stores which contents the Frameworks of the batch refer to, in the order of the keys.
func (b *batch) insertUses(w *writing) error {
	type use struct {
		fw      int64
		content digest
	}
	uses := map[use]bool{}
	add := func(fw *framework, reference []byte) {
		if reference != nil {
			uses[use{fw.id, digest(reference)}] = true
		}
	}
	for _, fw := range b.frameworks {
		add(fw, referenceTo(fw.record.GetObjectDigest()))
	}
	for _, t := range b.tasks {
		add(t.fw, referenceTo(t.record.GetObjectDigest()))
	}
	for _, v := range b.verdicts {
		add(v.fw, v.question)
	}
	var rows [][]any
	for _, u := range slices.SortedFunc(maps.Keys(uses), func(a, b use) int {
		return cmp.Or(cmp.Compare(a.fw, b.fw), a.content.compare(b.content))
	}) {
		rows = append(rows, []any{u.fw, u.content[:]})
	}
	return w.insert(into{"content_use", "fw, digest", "ON CONFLICT DO NOTHING"}, rows, nil)
}

// deleteUses deletes references of a Framework, up to the limit, and the contents that nothing else refers to.
func deleteUses(w *writing, fw, limit int64) (deleted int64, err error) {
	var contents [][]any
	err = w.query("DELETE FROM content_use WHERE fw = $1 AND digest IN (SELECT digest FROM content_use WHERE fw = $1 LIMIT $2) RETURNING digest",
		[]any{fw, limit}, func(r *sql.Rows) error {
			var d []byte
			err := r.Scan(&d)
			contents = append(contents, []any{d})
			return err
		})
	if err != nil {
		return 0, err
	}
	return int64(len(contents)), w.among("DELETE FROM content WHERE NOT EXISTS (SELECT 1 FROM content_use u WHERE u.digest = content.digest) AND digest",
		contents, nil)
}

func pack(text []byte) []byte {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return nil // the level is valid
	}
	_, _ = w.Write(text) // a buffer takes all
	_ = w.Close()
	return b.Bytes()
}

func unpack(packed []byte) ([]byte, error) {
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostContent))
}

// ErrNoObject means that the history has the requested row, but not its object.
var ErrNoObject = errors.New("the history does not have the object")

// FrameworkObject returns a Framework as last seen, as JSON: the one with the UID, or the newest of that name if the UID is empty.
func (s *Store) FrameworkObject(ctx context.Context, namespace, name, uid string) (json.RawMessage, error) {
	_, id, err := s.find(ctx, namespace, name, uid)
	if err != nil {
		return nil, err
	}
	return s.object(ctx, "SELECT c.packed FROM framework f JOIN content c ON c.digest = f.object WHERE f.id = $1", id)
}

// TaskObject selects the Pod of an attempt of a Task.
type TaskObject struct {
	Namespace, Name, UID string
	Role                 string
	Index                int32
	// Attempt of the Framework and TaskAttempt of the Task in it; the newest if they are nil.
	Attempt, TaskAttempt *int32
}

// TaskObject returns the Pod of an attempt of a Task as it was last seen, as JSON.
func (s *Store) TaskObject(ctx context.Context, q TaskObject) (json.RawMessage, error) {
	_, id, err := s.find(ctx, q.Namespace, q.Name, q.UID)
	if err != nil {
		return nil, err
	}
	c := &conditions{}
	c.add("t.fw = %s", id)
	c.add("t.role = %s", clean(q.Role))
	c.add("t.idx = %s", q.Index)
	if q.Attempt != nil {
		c.add("t.fw_attempt = %s", *q.Attempt)
	}
	if q.TaskAttempt != nil {
		c.add("t.attempt = %s", *q.TaskAttempt)
	}
	return s.object(ctx, `SELECT c.packed FROM task_attempt t LEFT JOIN content c ON c.digest = t.object`+c.where()+
		" ORDER BY t.fw_attempt DESC, t.ended DESC, t.id DESC LIMIT 1", c.args...)
}

func (s *Store) object(ctx context.Context, query string, args ...any) (json.RawMessage, error) {
	var packed []byte
	err := s.readers.QueryRowContext(ctx, s.dialect.bind(query), args...).Scan(&packed)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && packed == nil:
		return nil, ErrNoObject
	case err != nil:
		return nil, err
	}
	return unpack(packed)
}

// sweep deletes old contents that nothing refers to.
func (s *Store) sweep(ctx context.Context, now time.Time) error {
	const unused = "sent < $1 AND NOT EXISTS (SELECT 1 FROM content_use u WHERE u.digest = content.digest)"
	before := now.Add(-keepContents).UnixMicro()
	for {
		var found int64 // counted by a reader, because most often there is none
		query := "SELECT count(*) FROM (SELECT 1 FROM content WHERE " + unused + " LIMIT 1) c"
		if err := s.readers.QueryRowContext(ctx, s.dialect.bind(query), before).Scan(&found); err != nil || found == 0 {
			return err
		}
		err := s.change(ctx, func(w *writing) error {
			_, err := w.exec("DELETE FROM content WHERE digest IN (SELECT digest FROM content WHERE "+unused+" LIMIT $2)", before, deleteRows)
			return err
		})
		if err != nil {
			return err
		}
	}
}
