package logs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// textFrom returns the kept parts as a stored log.
func textFrom(p Parts) Text {
	t := Text{Skipped: p.Skipped}
	blocks := [2][]*Block{p.Head, p.Tail}
	for part, all := range blocks {
		for seq, b := range all {
			t.Chunks = append(t.Chunks, Chunk{part, seq, b.First / 1000, b.Last / 1000, b.Lines, b.Size()})
		}
	}
	t.Read = func(c Chunk) (*Block, error) { return blocks[c.Part][c.Seq], nil }
	return t
}

func shown(t *testing.T, v View, text Text) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, v.Write(&b, text))
	return b.String()
}

var begin = time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)

// counted keeps a log of numbered lines, one a second; some are longer than a block.
func counted(t *testing.T, lines int, limits Limits, end string) (Parts, []string) {
	t.Helper()
	k := NewKept(limits, nil)
	var all []string
	for i := range lines {
		text := fmt.Sprintf("line %d", i)
		if i%10 == 5 {
			text += strings.Repeat("x", 100_000)
		}
		if i < lines-1 {
			text += "\n"
		} else {
			text += end
		}
		all = append(all, text)
		for rest := text; rest != ""; {
			n := min(len(rest), mostPiece)
			require.NoError(t, k.Add(Line{begin.Add(time.Duration(i) * time.Second).UnixNano(), []byte(rest[:n])}))
			rest = rest[n:]
		}
	}
	return k.Parts(nil), all
}

// Any number of last lines is shown right, whether the last line ends with a line feed or not.
func TestTailLines(t *testing.T) {
	for _, end := range []string{"", "\n"} {
		p, lines := counted(t, 60, Limits{50_000, 10 << 20}, end)
		text := textFrom(p)
		require.Equal(t, strings.Join(lines, ""), shown(t, View{}, text))
		for n := range 65 {
			require.Equal(t, strings.Join(lines[max(0, 60-n):], ""), shown(t, View{TailLines: &n}, text), n)
		}
		two := 2
		require.Equal(t, lines[50]+lines[51], shown(t, View{TailLines: &two, Until: begin.Add(52 * time.Second)}, text))
		require.Equal(t, lines[45]+lines[55], shown(t, View{TailLines: &two, Search: "5xxx"}, text))
	}
}

// Times select lines: from since on, before until.
func TestTimeRange(t *testing.T) {
	p, lines := counted(t, 60, Limits{0, 10 << 20}, "\n")
	text := textFrom(p)
	read := 0
	all := text.Read
	text.Read = func(c Chunk) (*Block, error) { read++; return all(c) }
	require.Equal(t, lines[20]+lines[21], shown(t, View{Since: begin.Add(20 * time.Second), Until: begin.Add(22 * time.Second)}, text))
	require.LessOrEqual(t, read, 2, "the index was not used")
	require.Equal(t, "2026-11-29T10:00:20.000000000Z "+lines[20], shown(t, View{Since: begin.Add(20 * time.Second),
		Until: begin.Add(21 * time.Second), Timestamps: true}, text))
	require.Empty(t, shown(t, View{Search: "none"}, text))
	require.Empty(t, shown(t, View{}, Text{}))
}

// A gap is shown as a line of its own, but not among filtered lines.
func TestShownGap(t *testing.T) {
	p, lines := counted(t, 40, Limits{20, 20}, "\n")
	text := textFrom(p)
	require.Equal(t, lines[0]+lines[1]+fmt.Sprintf("... %d bytes not kept ...\n", p.Skipped)+lines[38]+lines[39], shown(t, View{}, text))
	three, two := 3, 2
	require.Equal(t, lines[1]+fmt.Sprintf("... %d bytes not kept ...\n", p.Skipped)+lines[38]+lines[39], shown(t, View{TailLines: &three}, text))
	require.Equal(t, lines[38]+lines[39], shown(t, View{TailLines: &two}, text))
	require.Equal(t, lines[0], shown(t, View{Search: "line 0"}, text))
	text.Skipped = -1
	require.Contains(t, shown(t, View{}, text), "\n... an unknown number of bytes not kept ...\nline 38")

	k := NewKept(Limits{5, 5}, nil)
	require.NoError(t, k.Add(Line{1, []byte("one long line")}))
	require.Equal(t, "one l\n... 3 bytes not kept ...\n line", shown(t, View{}, textFrom(k.Parts(nil))))
}
