package server

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Rights that are taken away count after 30 seconds, and many callers do not fill the memory.
func TestCache(t *testing.T) {
	now := time.Unix(0, 0)
	c := newCache[int, int]()
	c.now = func() time.Time { return now }
	asked := 0
	ask := func() (int, error) { asked++; return asked, nil }
	get := func(key int) int {
		value, err := c.get(key, ask)
		require.NoError(t, err)
		return value
	}
	require.Equal(t, 1, get(0))
	now = now.Add(cacheTime - 1)
	require.Equal(t, 1, get(0))
	now = now.Add(1)
	require.Equal(t, 2, get(0))
	for key := range 2 * mostCached {
		get(key)
		require.LessOrEqual(t, len(c.entries), mostCached)
	}
}
