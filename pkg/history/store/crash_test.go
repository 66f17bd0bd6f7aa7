package store

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// storeForever, as a variable of the environment, makes this program store records in that database until it is killed.
const storeForever = "STORE_FOREVER"

// crashRecords are the records of one request of TestKilled: three Tasks of a Framework of 100 attempts.
func crashRecords(i int) (records []*pluginpb.Record) {
	f := about("prod", fmt.Sprintf("f%d", i/100), int32(i%100))
	for index := range int32(3) {
		records = append(records, taskRecord(f, "worker", index, 0, i, "node", 7))
	}
	return append(records, happeningRecord(f, i, "Rescaled"))
}

// storeUntilKilled prints the keys that are acknowledged. It begins with the records of its predecessors.
func storeUntilKilled(database string) error {
	s, err := Open(context.Background(), Options{Database: database, Log: hclog.NewNullLogger()})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		keys, err := s.Ingest(context.Background(), "default", crashRecords(i))
		if err != nil {
			return err
		}
		for _, key := range keys {
			fmt.Println(key)
		}
	}
}

// An acknowledged record survives kill -9, and is neither stored nor counted twice if it is sent again.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("make history-databases runs it: SQLite is slow under the race detector")
	}
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		database, acknowledged := create(t), map[string]bool{}
		for round := range 5 {
			for _, key := range killedAfter(t, database, 40*(round+1)) {
				acknowledged[key] = true
			}
		}
		s := opened(t, database)
		stored := map[digest]bool{}
		for _, table := range []string{"task_attempt", "happening"} {
			require.NoError(t, s.each(t.Context(), "SELECT key FROM "+table, nil, func(r *sql.Rows) error {
				key, err := scanKey(r)
				require.False(t, stored[key])
				stored[key] = true
				return err
			}))
		}
		require.Greater(t, len(acknowledged), 100)
		for key := range acknowledged {
			require.True(t, stored[digestOf("default", key)], key)
		}
		requireSums(t, s)
	})
}

// killedAfter kills a process that stores records once it has acknowledged a number of them, and returns all acknowledged keys.
func killedAfter(t *testing.T, database string, records int) (keys []string) {
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env, child.Stderr = append(os.Environ(), storeForever+"="+database), os.Stderr
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	late := time.AfterFunc(machine.Within(time.Minute), func() { _ = child.Process.Kill() })
	defer late.Stop()
	for lines := bufio.NewScanner(out); lines.Scan(); {
		keys = append(keys, lines.Text())
		if len(keys) == records {
			require.NoError(t, child.Process.Kill())
		}
	}
	require.Error(t, child.Wait())
	require.GreaterOrEqual(t, len(keys), records)
	return keys // a line is one write, so the last is whole
}

// requireSums requires that the sums count each attempt of a Task once.
func requireSums(t testing.TB, s *Store) {
	t.Helper()
	var attempts, usage, nodes int64
	require.NoError(t, s.readers.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM task_attempt),
		(SELECT CAST(coalesce(sum(attempts), 0) AS BIGINT) FROM usage), (SELECT CAST(coalesce(sum(attempts), 0) AS BIGINT) FROM node_usage)`).
		Scan(&attempts, &usage, &nodes))
	require.Equal(t, []int64{attempts, attempts}, []int64{usage, nodes})
}
