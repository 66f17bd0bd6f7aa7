package store

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Writers that send the same records at the same time, to one store or to replicas with one database, store each once.
func TestConcurrentWriters(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		want := answers(t, ingested(t, opened(t, create(t)), life()))
		database := create(t)
		stores := []*Store{opened(t, database)}
		if isPostgres(database) {
			stores = append(stores, opened(t, database), opened(t, database))
		}
		var writers sync.WaitGroup
		for i := range uint64(12) {
			writers.Go(func() {
				random, s := rand.New(rand.NewPCG(i, 2)), stores[i%uint64(len(stores))]
				for range 5 {
					records := life()
					random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
					for len(records) > 0 {
						n := 1 + random.IntN(len(records))
						_, err := s.Ingest(t.Context(), "default", records[:n])
						assert.NoError(t, err)
						records = records[n:]
					}
				}
			})
		}
		writers.Wait()
		require.Equal(t, want, answers(t, stores[0]))
		requireSums(t, stores[0])
		var stored int64
		for _, s := range stores {
			n := s.Counts().Stored
			stored += n
		}
		// The two revisions of a Framework's record may be stored one after the other, or the second alone.
		require.Contains(t, []int64{int64(len(life())) - 1, int64(len(life()))}, stored)
	})
}
