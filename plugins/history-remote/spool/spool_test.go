package spool

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

func open(t *testing.T, directory string, limit int64) (*Spool, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	s, err := Open(directory, limit, hclog.New(&hclog.LoggerOptions{Output: log, Level: hclog.Info}))
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s, log
}

// records are from..to-1.
func records(from, to int) []*pluginpb.Record {
	var all []*pluginpb.Record
	for i := from; i < to; i++ {
		r := plugintest.RandomRecord(rand.New(rand.NewPCG(1, uint64(i))))
		r.Key = fmt.Sprint(i)
		all = append(all, r)
	}
	return all
}

// drain takes all records of a spool.
func drain(s *Spool) (all []*pluginpb.Record) {
	for batch := s.Oldest(); batch != nil; batch = s.Oldest() {
		all = append(all, batch.Records...)
		batch.Done()
	}
	return all
}

func wantRecords(t *testing.T, got, want []*pluginpb.Record) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b *pluginpb.Record) bool { return proto.Equal(a, b) }) {
		t.Errorf("got %d records %.200v, want %d", len(got), got, len(want))
	}
}

func files(t *testing.T, directory string) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*"))
	require.NoError(t, err)
	return paths
}

func TestOrder(t *testing.T) {
	directory := t.TempDir()
	s, _ := open(t, directory, 1<<20)
	if !s.Empty() || s.Oldest() != nil {
		t.Error("not empty")
	}
	for i := range 2000 { // several files
		require.NoError(t, s.Append(records(i, i+1)))
	}
	if n := len(files(t, directory)); n < 3 || s.Empty() {
		t.Errorf("%d files", n)
	}
	wantRecords(t, s.Oldest().Records, s.Oldest().Records)
	wantRecords(t, drain(s), records(0, 2000))
	if left := files(t, directory); len(left) > 0 || !s.Empty() {
		t.Errorf("left: %q", left)
	}
}

// A process takes over the records of a process that has ended, and not before the end.
func TestSuccessor(t *testing.T) {
	directory := t.TempDir()
	first, _ := open(t, directory, 1<<20)
	second, _ := open(t, directory, 1<<20)
	require.NoError(t, first.Append(records(0, 10)))
	require.NoError(t, second.Append(records(20, 30)))
	wantRecords(t, drain(second), records(20, 30))
	require.NoError(t, first.Append(records(10, 20)))
	first.Close()
	wantRecords(t, drain(second), records(0, 20))
}

// A write that the end of the process cuts, at any place, costs only the record that was never acknowledged.
func TestTornEnd(t *testing.T) {
	frame, err := appendFrame(nil, records(5, 6)[0])
	require.NoError(t, err)
	for cut := 1; cut < len(frame); cut += 3 {
		directory := t.TempDir()
		s, _ := open(t, directory, 1<<20)
		require.NoError(t, s.Append(records(0, 5)))
		s.Close()
		appendTo(t, files(t, directory)[0], frame[:cut])
		again, log := open(t, directory, 1<<20)
		wantRecords(t, drain(again), records(0, 5))
		if left := files(t, directory); len(left) > 0 || !strings.Contains(log.String(), "cut a record that was never acknowledged") {
			t.Errorf("left %q, logged %s", left, log)
		}
	}
}

func appendTo(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.Write(b)
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// Wherever a byte is wrong, the records before it are handed out, the file is kept, and later files are not held up.
func TestDamage(t *testing.T) {
	for _, at := range []int{0, 4, 8, 12, 30, 200, 500} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			directory := t.TempDir()
			s, _ := open(t, directory, 1<<20)
			require.NoError(t, s.Append(records(0, 20)))
			s.Close()
			path := files(t, directory)[0]
			b, err := os.ReadFile(path)
			require.NoError(t, err)
			b[at] ^= 0x40
			require.NoError(t, os.WriteFile(path, b, 0o600))

			again, log := open(t, directory, 1<<20)
			require.NoError(t, again.Append(records(100, 110)))
			got := drain(again)
			intact := len(got) - 10
			if intact < 0 || intact >= 20 {
				t.Fatalf("%d records", len(got))
			}
			wantRecords(t, got, append(records(0, intact), records(100, 110)...))
			if left := files(t, directory); !slices.Equal(left, []string{path + damagedSuffix}) || !strings.Contains(log.String(), "is damaged") {
				t.Errorf("left %q, logged %s", left, log)
			}
		})
	}
}

func TestFull(t *testing.T) {
	s, _ := open(t, t.TempDir(), 100<<10)
	stored := 0
	for ; stored < 10000; stored++ {
		if err := s.Append(records(stored, stored+1)); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			break
		}
	}
	if stored < 100 || stored == 10000 {
		t.Errorf("%d records fit", stored)
	}
	wantRecords(t, drain(s), records(0, stored))
	require.NoError(t, s.Append(records(0, 1)))
}

// A disk that fills up within a record costs only that record, and the spool continues once there is room. The test limits another process,
// because go test writes files, too.
func TestDiskFull(t *testing.T) {
	if os.Getenv(fullVariable) == "" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestDiskFull$")
		cmd.Env = append(os.Environ(), fullVariable+"=1")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, output)
		}
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var before syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before))
	limit := before
	limit.Cur = 10_000
	directory := t.TempDir()
	s, _ := open(t, directory, 1<<20)
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	stored := 0
	var err error
	for err == nil && stored < 1000 {
		if err = s.Append(records(stored, stored+1)); err == nil {
			stored++
		}
	}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before))
	if !errors.Is(err, syscall.EFBIG) || stored < 10 {
		t.Fatalf("%d records, then %v", stored, err)
	}
	require.NoError(t, s.Append(records(stored, stored+5)))
	wantRecords(t, drain(s), records(0, stored+5))
	if left := files(t, directory); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

const fullVariable = "SPOOL_ON_A_FULL_DISK"

func TestNoDirectory(t *testing.T) {
	if _, err := Open("/proc/no/such", 1<<20, hclog.NewNullLogger()); err == nil {
		t.Error("no error")
	}
}

// FuzzReadFrame: reading ends with any bytes on disk, and returns a record as it was written.
func FuzzReadFrame(f *testing.F) {
	frame, err := appendFrame(nil, records(0, 1)[0])
	require.NoError(f, err)
	f.Add(frame)
	f.Add(frame[:20])
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			r, rest, err := readFrame(b)
			if err != nil {
				break
			}
			if len(rest) >= len(b) || r == nil {
				t.Fatal("no progress")
			}
			b = rest
		}
	})
}
