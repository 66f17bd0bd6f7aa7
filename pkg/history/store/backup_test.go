package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A copy that is made while records are stored has whole transactions only, and everything acknowledged before it began.
func TestBackupWhileWriting(t *testing.T) {
	database := newFile(t)
	s := opened(t, database)
	ctx, stop := context.WithCancel(t.Context())
	var writer sync.WaitGroup
	defer writer.Wait()
	defer stop()
	writer.Go(func() {
		for i := 1000; ctx.Err() == nil; i++ {
			_, err := s.Ingest(t.Context(), "default", crashRecords(i))
			assert.NoError(t, err)
		}
	})
	for i := range 5 {
		ingested(t, s, crashRecords(i))
		file := filepath.Join(t.TempDir(), "copy.db")
		require.NoError(t, Backup(t.Context(), database, file))
		requireNoPart(t, filepath.Dir(file))

		restored := opened(t, file)
		var check string
		require.NoError(t, restored.readers.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&check))
		require.Equal(t, "ok", check)
		requireSums(t, restored)
		var tasks, happenings int
		require.NoError(t, restored.readers.QueryRowContext(t.Context(),
			"SELECT (SELECT count(*) FROM task_attempt), (SELECT count(*) FROM happening)").Scan(&tasks, &happenings))
		require.Equal(t, tasks, 3*happenings) // each request has this proportion
		for _, r := range crashRecords(i) {
			table, key := "task_attempt", digestOf("default", r.GetKey())
			if r.GetHappening() != nil {
				table = "happening"
			}
			found := false
			require.NoError(t, restored.each(t.Context(), "SELECT 1 FROM "+table+" WHERE key = $1", []any{key[:]},
				func(*sql.Rows) error { found = true; return nil }))
			require.True(t, found, r.GetKey())
		}
		ingested(t, restored, crashRecords(i+1)) // the copy is a database to go on with
	}
}

// Backup names the mistake, and overwrites nothing.
func TestBackupRefused(t *testing.T) {
	database, dir := newFile(t), t.TempDir()
	opened(t, database)
	exists, garbage := filepath.Join(dir, "exists"), filepath.Join(dir, "garbage")
	require.NoError(t, os.WriteFile(exists, []byte("mine"), 0o600))
	require.NoError(t, os.WriteFile(garbage, make([]byte, 8192), 0o600))

	require.ErrorContains(t, Backup(t.Context(), database, exists), "exists: choose another file")
	require.ErrorContains(t, Backup(t.Context(), filepath.Join(dir, "none"), filepath.Join(dir, "copy")), "none: no such file")
	require.ErrorContains(t, Backup(t.Context(), "postgres://host/history", filepath.Join(dir, "copy")), "pg_dump")
	require.Error(t, Backup(t.Context(), database, filepath.Join(dir, "none", "copy")))
	require.ErrorContains(t, Backup(t.Context(), garbage, filepath.Join(dir, "copy")), "damaged, or no database")
	require.NoFileExists(t, filepath.Join(dir, "copy"))
	requireNoPart(t, dir)
	mine, err := os.ReadFile(exists)
	require.NoError(t, err)
	require.Equal(t, "mine", string(mine))
}

func requireNoPart(t *testing.T, dir string) {
	t.Helper()
	parts, err := filepath.Glob(filepath.Join(dir, "*.part"))
	require.NoError(t, err)
	require.Empty(t, parts)
}

// If several backups write one file at the same time, one succeeds, and the file is complete.
func TestBackupsToOneFile(t *testing.T) {
	database, dir := newFile(t), t.TempDir()
	s, file := opened(t, database), filepath.Join(dir, "copy.db")
	for i := range 50 {
		ingested(t, s, crashRecords(i))
	}
	require.NoError(t, os.Chmod(database, 0o640))
	var backups sync.WaitGroup
	var made atomic.Int64
	for range 4 {
		backups.Go(func() {
			if err := Backup(t.Context(), database, file); err == nil {
				made.Add(1)
			} else {
				assert.ErrorContains(t, err, "exists: choose another file")
			}
		})
	}
	backups.Wait()
	require.EqualValues(t, 1, made.Load())
	requireNoPart(t, dir)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o640), info.Mode().Perm())
	require.EqualValues(t, 150, count(t, opened(t, file), "task_attempt"))
}

// backupOf, as a variable of the environment, makes this program copy that database to the file behind it, again and again.
const backupOf = "BACKUP_OF"

func backUpForever(paths string) error {
	database, file, _ := strings.Cut(paths, " ")
	for i := 0; ; i++ {
		if err := Backup(context.Background(), database, fmt.Sprintf("%s-%d", file, i)); err != nil {
			return err
		}
		fmt.Println(i)
	}
}

// A backup that is killed leaves no file with the name of a backup that is not whole, and does not keep the next one from being made.
func TestBackupKilled(t *testing.T) {
	database, dir := newFile(t), t.TempDir()
	s := opened(t, database)
	for i := range 100 {
		ingested(t, s, crashRecords(i))
	}
	random := rand.New(rand.NewPCG(5, 6))
	for round := range 5 {
		file := filepath.Join(dir, fmt.Sprintf("copy-%d", round))
		child := exec.CommandContext(t.Context(), os.Args[0])
		child.Env, child.Stderr = append(os.Environ(), backupOf+"="+database+" "+file), os.Stderr
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		require.True(t, bufio.NewScanner(out).Scan())
		time.AfterFunc(time.Duration(random.IntN(20))*time.Millisecond, func() { _ = child.Process.Kill() }) // anywhere in one of the next
		require.Error(t, child.Wait())
	}
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	whole := 0
	for _, e := range entries {
		if !strings.Contains(e.Name(), ".part") {
			require.EqualValues(t, 300, count(t, opened(t, filepath.Join(dir, e.Name())), "task_attempt"))
			whole++
		}
	}
	require.GreaterOrEqual(t, whole, 5)
	require.NoError(t, Backup(t.Context(), database, filepath.Join(dir, "next")))
}
