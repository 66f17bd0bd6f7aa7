package logs

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// stampedLog renders these lines as the API server sends them, one a second.
func stampedLog(lines ...string) io.Reader {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, "2026-11-29T10:00:%02d.5Z %s", i%60, l)
	}
	return strings.NewReader(b.String())
}

func scanned(t *testing.T, limits Limits, r io.Reader) *Kept {
	t.Helper()
	k := NewKept(limits, nil)
	require.NoError(t, Scan(r, k.Add))
	return k
}

// textOf packs and unpacks the blocks, and joins their texts.
func textOf(t *testing.T, blocks []*Block) string {
	t.Helper()
	var text []byte
	for _, b := range blocks {
		data, err := b.Pack()
		require.NoError(t, err)
		again, err := Unpack(data)
		require.NoError(t, err)
		require.Equal(t, b, again)
		again.Each(func(l Line) bool { text = append(text, l.Text...); return true })
	}
	return string(text)
}

// A log within the limits is kept byte for byte, with the times of its lines.
func TestWhole(t *testing.T) {
	lines := []string{"hello\n", "\n", "\xff\xfe\x00binary\r\n", strings.Repeat("long", 100_000) + "\n", "no line feed"}
	k := scanned(t, Limits{1 << 10, 1 << 20}, stampedLog(lines...))
	p := k.Parts(nil)
	require.Zero(t, p.Skipped)
	require.Equal(t, strings.Join(lines, ""), textOf(t, append(p.Head, p.Tail...)))
	require.Equal(t, time.Date(2026, 11, 29, 10, 0, 0, 5e8, time.UTC).UnixNano(), p.Head[0].First)
	require.Equal(t, time.Date(2026, 11, 29, 10, 0, 4, 5e8, time.UTC).UnixNano(), p.Tail[len(p.Tail)-1].Last)
	ended := 0
	for _, b := range append(p.Head, p.Tail...) {
		ended += b.Lines
	}
	require.Equal(t, 4, ended)
}

// A line that begins like a time keeps it, and text of the kubelet without a time has none.
func TestTimes(t *testing.T) {
	var all []string
	each := func(l Line) error { all = append(all, fmt.Sprintf("%d %s", l.Time, l.Text)); return nil }
	require.NoError(t, Scan(strings.NewReader("unable to retrieve logs\n1970-01-01T00:00:00.000000007Z 2026-01-01T00:00:00Z x\n1970-01-01T00:00:01Z "), each))
	require.Equal(t, []string{"0 unable to retrieve logs\n", "7 2026-01-01T00:00:00Z x\n", "1000000000 "}, all)
	broken := errors.New("broken")
	require.ErrorIs(t, Scan(iotest.ErrReader(broken), each), broken)
	require.ErrorIs(t, Scan(strings.NewReader("x"), func(Line) error { return broken }), broken)
}

// Beyond the limits, whole lines of both ends are kept, and the rest is counted.
func TestGap(t *testing.T) {
	var lines []string
	total := 0
	for i := range 100_000 {
		lines = append(lines, fmt.Sprintf("line %d\n", i))
		total += len(lines[i])
	}
	p := scanned(t, Limits{100, 1000}, stampedLog(lines...)).Parts(nil)
	head, tail := textOf(t, p.Head), textOf(t, p.Tail)
	require.True(t, strings.HasPrefix(strings.Join(lines, ""), head) && strings.HasSuffix(head, "\n"))
	require.True(t, strings.HasSuffix(strings.Join(lines, ""), tail) && strings.HasPrefix(tail, "line "))
	require.InDelta(t, 100, len(head), 10)
	require.InDelta(t, 1000, len(tail), 11)
	require.EqualValues(t, total, p.HeadBytes+p.Skipped+p.TailBytes)
	require.EqualValues(t, len(head), p.HeadBytes)
	require.EqualValues(t, len(tail), p.TailBytes)
}

// Random logs keep within their limits. The kept and the skipped bytes together are the whole log.
func TestAnyLimits(t *testing.T) {
	seeds := uint64(300)
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 1))
		limits := Limits{r.Int64N(300_000), r.Int64N(300_000)}
		if r.IntN(4) == 0 {
			limits.Head = 0
		}
		all := make([]byte, r.IntN(1_000_000))
		for i := range all {
			all[i] = byte(r.IntN(256))
			if all[i] == '\n' && r.IntN(int(seed)+1) > 3 {
				all[i] = 'x' // longer and longer lines
			}
		}
		p := scanned(t, limits, bytes.NewReader(all)).Parts(nil)
		head, tail := textOf(t, p.Head), textOf(t, p.Tail)
		require.LessOrEqual(t, int64(len(head)), limits.Head, seed)
		require.LessOrEqual(t, int64(len(tail)), limits.Tail, seed)
		require.EqualValues(t, len(all), int64(len(head))+p.Skipped+int64(len(tail)), seed)
		require.True(t, strings.HasPrefix(string(all), head) && strings.HasSuffix(string(all), tail), seed)
		if int64(len(all)) <= limits.Tail {
			require.Zero(t, p.Skipped, seed)
		}
	}
}

// zeros is a log of that number of bytes, without a line feed.
type zeros struct{ left int64 }

func (z *zeros) Read(b []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(b)), z.left)
	clear(b[:n])
	z.left -= n
	return int(n), nil
}

// A log of 10 GB, without any line feed, passes through in a few megabytes. Garbage does not count, as a busy machine collects it late.
func TestHugeLog(t *testing.T) {
	size := int64(10_000_000_000)
	if testing.Short() {
		size /= 10
	}
	k := NewKept(Limits{64 << 10, 1 << 20}, nil)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	most := uint64(0)
	passed, looks := int64(0), int64(0)
	require.NoError(t, Scan(&zeros{size}, func(l Line) error {
		if passed += int64(len(l.Text)); passed*20 >= size*(looks+1) {
			looks++
			runtime.GC()
			runtime.ReadMemStats(&after)
			most = max(most, after.HeapAlloc)
		}
		return k.Add(l)
	}))
	require.EqualValues(t, 20, looks)
	p := k.Parts(nil)
	require.Equal(t, size, p.HeadBytes+p.Skipped+p.TailBytes)
	require.EqualValues(t, 1<<20, p.TailBytes)
	require.Less(t, most, before.HeapAlloc+(8<<20))
}

// Without memory left, logs keep less instead of waiting, and give back the memory that they took.
func TestBudget(t *testing.T) {
	budget := NewBudget(4 * blockText)
	var all []*Kept
	for range 10 {
		k := NewKept(Limits{Head: 1 << 18, Tail: 1 << 20}, budget)
		require.NoError(t, Scan(&zeros{1 << 20}, k.Add))
		p := k.Parts(nil)
		require.EqualValues(t, 1<<20, p.HeadBytes+p.Skipped+p.TailBytes)
		require.Positive(t, p.TailBytes)
		require.LessOrEqual(t, p.HeadBytes+p.TailBytes, int64(6*blockText))
		all = append(all, k)
	}
	require.Zero(t, budget.left.Load())
	for _, k := range all {
		k.Release()
	}
	require.EqualValues(t, 4*blockText, budget.left.Load())
}

// Patterns apply to whole lines, including lines that are partly in the head.
func TestRedaction(t *testing.T) {
	r, err := NewRedaction([]string{`token=\S+`, `AKIA[A-Z]{4}`})
	require.NoError(t, err)
	k := scanned(t, Limits{20, 1 << 20}, stampedLog("first\n", "my token=secret and AKIAABCD\n", "token=end"))
	p := k.Parts(r)
	require.Zero(t, p.Skipped)
	require.Equal(t, "first\nmy [redacted] and [redacted]\n[redacted]", textOf(t, append(p.Head, p.Tail...)))
	require.EqualValues(t, len("first\nmy [redacted] and [redacted]\n[redacted]"), p.HeadBytes+p.TailBytes)

	// At a gap, no part of a secret is left.
	p = scanned(t, Limits{20, 15}, stampedLog("first\n", "my AKIAABCD\n", "second\n", "AKIAXYZW\n", "last\n")).Parts(r)
	require.Equal(t, "first\nmy [redacted]\n", textOf(t, p.Head))
	require.Equal(t, "[redacted]\nlast\n", textOf(t, p.Tail))

	// Nor does the end of a log that continues.
	k = scanned(t, Limits{20, 1 << 20}, stampedLog("first\n", "my AKIAAB"))
	require.Equal(t, "first\n", textOf(t, k.PartsSoFar(r).Head))
	require.Equal(t, "first\nmy AKIAAB", textOf(t, k.PartsSoFar(nil).Head))
	p = scanned(t, Limits{0, 1 << 20}, stampedLog("first\n", "my AKIAAB")).PartsSoFar(r)
	require.Equal(t, "first\n", textOf(t, p.Tail))
	require.Zero(t, p.Skipped)

	long := strings.Repeat("x", mostRedacted-20) + "token=secret\n"
	p = scanned(t, Limits{0, 4 << 20}, stampedLog(long)).Parts(r)
	require.Equal(t, strings.Repeat("x", mostRedacted-20)+"[redacted]\n", textOf(t, p.Tail))
	for text, want := range map[string]string{"(": "[0]: error parsing", "a*": "matches an empty text", strings.Repeat("a", 5000): "5000 bytes"} {
		_, err := NewRedaction([]string{text})
		require.ErrorContains(t, err, want)
	}
}

// Bytes that are no block are an error.
func TestDamagedBlocks(t *testing.T) {
	b := &Block{}
	for i := range 100 {
		b.add(Line{int64(i), []byte("some text\n")})
	}
	data, err := b.Pack()
	require.NoError(t, err)
	for i := range data {
		damaged := bytes.Clone(data)
		damaged[i] ^= 0x40
		_, _ = Unpack(damaged) // most are found; none panics
		_, err := Unpack(data[:i])
		require.ErrorIs(t, err, errDamaged)
	}
}

// A mistake in the configuration names its field.
func TestConfig(t *testing.T) {
	c, err := ParseConfig([]byte("tailBytes: 2Mi\nonSuccess: tail\nredact: ['a+']"))
	require.NoError(t, err)
	require.Equal(t, Limits{64 << 10, 2 << 20}, c.Limits)
	require.True(t, c.OnSuccess)
	for text, want := range map[string]string{
		"tailBytes: much":                 "quantities must match",
		"tailBytes: -1":                   "tailBytes: -1 is not within",
		"headBytes: 1Gi":                  "headBytes: 1Gi is not within",
		"{headBytes: 0, tailBytes: 0}":    "nothing would be kept",
		"{headBytes: 0, earlyHead: true}": "earlyHead",
		"onSuccess: all":                  "neither none nor tail",
		"redact: ['ok', '(']":             "redact[1]",
		"tail: 1":                         "tail",
	} {
		_, err := ParseConfig([]byte(text))
		require.ErrorContains(t, err, want)
	}
}

// A Framework can narrow the operator's settings, and never widen them.
func TestPlan(t *testing.T) {
	config := Config{Limits: Limits{100, 1000}, Containers: []string{"main", "init"}, Roles: []string{"worker"}}
	request := func(change func(*pluginpb.CollectLogsRequest)) *pluginpb.CollectLogsRequest {
		r := &pluginpb.CollectLogsRequest{TaskRole: "worker", Containers: []*pluginpb.LoggedContainer{{Name: "init"}, {Name: "main"}, {Name: "side"}},
			Wishes: &pluginpb.LogWishes{}}
		change(r)
		return r
	}
	withSuccess := config
	withSuccess.OnSuccess = true
	for _, c := range []struct {
		name   string
		config Config
		change func(*pluginpb.CollectLogsRequest)
		limits Limits
		count  int
	}{
		{"no wishes", config, func(r *pluginpb.CollectLogsRequest) { r.Wishes = nil }, Limits{100, 1000}, 2},
		{"less", config, func(r *pluginpb.CollectLogsRequest) {
			r.Wishes.HeadBytes, r.Wishes.TailBytes, r.Wishes.Containers = proto.Int64(0), proto.Int64(10), []string{"main", "side"}
		}, Limits{0, 10}, 1},
		{"more", config, func(r *pluginpb.CollectLogsRequest) { r.Wishes.TailBytes = proto.Int64(1 << 40) }, Limits{100, 1000}, 2},
		{"less than nothing", config, func(r *pluginpb.CollectLogsRequest) { r.Wishes.TailBytes = proto.Int64(-1) }, Limits{100, 0}, 2},
		{"none", config, func(r *pluginpb.CollectLogsRequest) { r.Wishes.None = true }, Limits{100, 1000}, 0},
		{"another role", config, func(r *pluginpb.CollectLogsRequest) { r.TaskRole = "ps" }, Limits{100, 1000}, 0},
		{"succeeded", config, func(r *pluginpb.CollectLogsRequest) { r.Succeeded = true }, Limits{0, 1000}, 0},
		{"succeeded, with its tail", withSuccess, func(r *pluginpb.CollectLogsRequest) { r.Succeeded = true }, Limits{0, 1000}, 2},
	} {
		p := c.config.Plan(request(c.change))
		require.Equal(t, c.limits, p.Limits, c.name)
		require.Len(t, p.Containers, c.count, c.name)
	}
}

func BenchmarkScan(b *testing.B) {
	line := []byte("2026-11-29T10:00:00.123456789Z step 17 loss 0.25 lr 0.0001 tokens/s 123456 memory 40.1 GiB of 80 GiB used\n")
	text := bytes.Repeat(line, 100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		k := NewKept(Limits{64 << 10, 1 << 20}, nil)
		require.NoError(b, Scan(bytes.NewReader(text), k.Add))
	}
}

func BenchmarkPack(b *testing.B) {
	k := NewKept(Limits{0, 1 << 20}, nil)
	for i := range 100_000 {
		text := fmt.Appendf(nil, "step %d loss %.4f lr 0.0001 tokens/s %d memory 40.1 GiB of 80 GiB used\n", i, 1/float64(i+1), i*7919%100_000)
		require.NoError(b, k.Add(Line{int64(i) * 12_345_678, text}))
	}
	p := k.Parts(nil)
	b.SetBytes(p.TailBytes)
	packed := 0
	for b.Loop() {
		packed = 0
		for _, block := range p.Tail {
			data, err := block.Pack()
			require.NoError(b, err)
			packed += len(data)
		}
	}
	b.ReportMetric(float64(p.TailBytes)/float64(packed), "ratio")
}
