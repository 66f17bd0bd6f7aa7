package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

// hostile are values that every field of a record gets.
type hostile struct {
	text   string
	number int64
	float  float64
	time   *timestamppb.Timestamp
	// ended is the time of the field of that name.
	ended *timestamppb.Timestamp
}

func hostiles() []hostile {
	year1, year9999 := &timestamppb.Timestamp{Seconds: firstMicro / 1_000_000}, &timestamppb.Timestamp{Seconds: lastMicro / 1_000_000, Nanos: 999_999_999}
	random := rand.New(rand.NewPCG(1, 3))
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(random.IntN(256))
	}
	return []hostile{
		{"", 0, 0, nil, nil},
		{"\x00", math.MaxInt64, math.Inf(1), year9999, year1},
		{"a\x00b\xff\xfe", math.MinInt64, math.NaN(), year1, year9999},
		{strings.Repeat("\x00a", 10_000), -1, math.MaxFloat64, &timestamppb.Timestamp{Seconds: math.MaxInt64}, nil},
		{"long", 1, math.MaxFloat64, year1, &timestamppb.Timestamp{Seconds: year9999.Seconds - 1_000_000}},
		{strings.Repeat("\xffz", 10_000), math.MaxInt64, -math.MaxFloat64, &timestamppb.Timestamp{Seconds: math.MinInt64, Nanos: -1}, nil},
		{string(noise), 1, 1, after(0), after(0)},
		{strings.Repeat("語", 5_000), 1, math.SmallestNonzeroFloat64, after(0), after(0)},
		{"'); DROP TABLE framework; --", 1, 1, after(0), after(0)},
		{`$1 ?1 %s %! \ " {"a": [`, 1, 1, after(0), after(0)},
		{"<script>alert(1)</script>\r\n\x1b[31m", 1, 1, after(0), after(0)},
		{"\uFFFE\u202e\U0010FFFF,,%_", 1, 1, after(0), after(0)},
	}
}

// spoil sets every field of a message.
func (h hostile) spoil(m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case f.ContainingOneof() != nil && !m.Has(f):
		case f.IsMap():
			for key := range 2 {
				if f.MapValue().Kind() == protoreflect.StringKind || f.MapValue().Kind() == protoreflect.DoubleKind {
					m.Mutable(f).Map().Set(protoreflect.ValueOfString(h.text+strings.Repeat("x", key)).MapKey(), h.scalar(f.MapValue()))
				}
			}
		case f.IsList() && f.Message() != nil:
			for i := range m.Mutable(f).List().Len() {
				h.spoil(m.Mutable(f).List().Get(i).Message())
			}
		case f.IsList():
			m.Mutable(f).List().Append(h.scalar(f))
		case f.Message() == nil:
			m.Set(f, h.scalar(f))
		case f.Message().FullName() == "google.protobuf.Timestamp":
			h.spoilTime(m, f)
		case m.Has(f):
			h.spoil(m.Mutable(f).Message())
		}
	}
}

func (h hostile) spoilTime(m protoreflect.Message, f protoreflect.FieldDescriptor) {
	t := h.time
	if f.Name() == "ended" {
		t = h.ended
	}
	m.Clear(f)
	if t != nil {
		m.Set(f, protoreflect.ValueOfMessage(proto.Clone(t).ProtoReflect()))
	}
}

func (h hostile) scalar(f protoreflect.FieldDescriptor) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(h.text)
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(h.float)
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(h.number)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(max(min(h.number, math.MaxInt32), math.MinInt32)))
	}
	return f.Default()
}

// Any values of fields are stored in a form that every query can answer with, and never keep other records from being stored.
func TestHostileValues(t *testing.T) {
	if testing.Short() {
		t.Skip("make history-databases runs it: SQLite is slow under the race detector")
	}
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		var log bytes.Buffer
		s, err := Open(t.Context(), Options{Database: create(t), Log: hclog.New(&hclog.LoggerOptions{Output: &log})})
		require.NoError(t, err)
		defer s.Close()
		random := rand.New(rand.NewPCG(7, 7))
		for i, h := range hostiles() {
			records := []*pluginpb.Record{{}, nil, {Key: "no content"}, {Content: &pluginpb.Record_TaskAttempt{}}}
			for _, r := range life() {
				h.spoil(r.ProtoReflect())
				records = append(records, r)
			}
			for range 20 {
				r := plugintest.RandomRecord(random)
				h.spoil(r.ProtoReflect())
				records = append(records, r)
			}
			for n, r := range records {
				if r != nil {
					r.Key = fmt.Sprint(i, "/", n, h.text)
				}
			}
			good := about("prod", fmt.Sprintf("good-%d", i), 0)
			records = append(records, frameworkRecord(good, 1, 0, nil), taskRecord(good, "worker", 0, 0, 60, "node", 7))
			ingested(t, s, records)
			before := s.Counts()
			ingested(t, s, records)
			require.Equal(t, before.Stored, s.Counts().Stored, "%.40q is stored twice", h.text)

			tasks, err := s.Tasks(t.Context(), TaskQuery{Namespace: "prod", Name: good.Name, Limit: 10, Details: true})
			require.NoError(t, err, "%.40q", h.text)
			require.Len(t, tasks.Items, 1)
			requireAnswers(t, s)
		}
		requireSums(t, s)
		require.Empty(t, log.String())
	})
}

// requireAnswers requires that all that is stored can be read and sent.
func requireAnswers(t *testing.T, s *Store) {
	t.Helper()
	answers(t, s)
	frameworks, err := s.Frameworks(t.Context(), FrameworkQuery{Limit: 1000})
	require.NoError(t, err)
	tasks, err := s.Tasks(t.Context(), TaskQuery{Limit: 1000, Details: true})
	require.NoError(t, err)
	shadow, err := s.ShadowVerdicts(t.Context(), ShadowQuery{Limit: 1000})
	require.NoError(t, err)
	all := []any{frameworks, tasks, shadow}
	for _, f := range frameworks.Items {
		detail, err := s.Framework(t.Context(), f.Namespace, f.Name, f.UID)
		require.NoError(t, err)
		all = append(all, detail)
	}
	for _, by := range []string{"namespace", "code", "node", "role", "rule", "label:team"} {
		report, err := s.Report(t.Context(), ReportQuery{By: by})
		require.NoError(t, err)
		all = append(all, report)
	}
	_, err = json.Marshal(all)
	require.NoError(t, err)
}

// A record that the database refuses is acknowledged and dropped with a line in the log; the other records of its request are stored.
func TestRefusedRecord(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		var log bytes.Buffer
		database := create(t)
		s, err := Open(t.Context(), Options{Database: database, Log: hclog.New(&hclog.LoggerOptions{Output: &log})})
		require.NoError(t, err)
		defer s.Close()
		refuse := `CREATE TRIGGER refuse BEFORE INSERT ON happening WHEN NEW.reason = 'Refused' BEGIN SELECT RAISE(ABORT, 'refused'); END`
		if isPostgres(database) {
			refuse = `ALTER TABLE happening ADD CHECK (reason <> 'Refused')`
		}
		require.NoError(t, s.ask(t.Context(), &request{do: func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, refuse)
			return err
		}}))
		want := answers(t, ingested(t, opened(t, create(t)), life()))
		records := life()
		for i := range 3 {
			records = append(records, happeningRecord(about("prod", "train", 0), i, "Refused"))
			records = append(records, life()[i])
		}
		ingested(t, s, records)
		require.Equal(t, want, answers(t, s))
		require.Equal(t, 3, strings.Count(log.String(), "record dropped"), log.String())
		require.EqualValues(t, 3, s.Counts().Refused)
	})
}

// A cleaned text is short enough for an index, and cleaning it again, as in a query, does not change it.
func TestClean(t *testing.T) {
	for _, h := range hostiles() {
		for limit, clean := range map[int]func(string) string{mostName: name, mostText: clean} {
			got := clean(h.text)
			require.LessOrEqual(t, len(got), limit)
			require.True(t, utf8.ValidString(got) && !strings.Contains(got, "\x00"))
			require.Equal(t, got, clean(got))
		}
	}
}
