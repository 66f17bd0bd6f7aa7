package apiserver

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestVersionsThatGoBack(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, ServerOptions{})
	told := func() bool {
		select {
		case <-s.Restored():
			return true
		default:
			return false
		}
	}
	for _, version := range []string{"900", "1000", "1000", "odd", "", "1001"} {
		s.versions.note(s.versions.known(), version)
	}
	s.NoteVersions("7", "8") // the object's version, which may be older than the storage's
	s.NoteVersions("odd", "8")
	require.False(t, told())
	require.NoError(t, s.WhyRestored())

	require.Equal(t, "1001", s.versions.known())

	s.versions.note("1001", "999")
	require.True(t, told())
	require.ErrorIs(t, s.WhyRestored(), ErrRestored)
	require.ErrorContains(t, s.WhyRestored(), "from 1001 to 999")
	s.versions.note("1001", "5") // is reported once
	require.ErrorContains(t, s.WhyRestored(), "from 1001 to 999")
}

func TestVersionsOfAnObjectThatGoBack(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, ServerOptions{})
	s.NoteVersions("20", "10")
	require.ErrorIs(t, s.WhyRestored(), ErrRestored)
}

// A version that the watch shows is one that the storage has had, unless the watch shows it only after the storage was asked.
func TestVersionsOfObjectsAreOfTheStorage(t *testing.T) {
	t.Parallel()
	s := NewServer(nil, ServerOptions{})
	s.versions.note("", "100")
	asked := s.versions.known()
	s.NoteVersions("", "120") // an object that is new
	s.versions.note(asked, "110")
	require.NoError(t, s.WhyRestored())
	s.NoteVersions("120", "130")
	s.versions.note(s.versions.known(), "125")
	require.ErrorContains(t, s.WhyRestored(), "from 130 to 125")
}

// The storage is asked now and then, and as soon as the API server is back.
func TestVersionsAreDue(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	after := func(d time.Duration) time.Time { return begin.Add(d) }
	v := newVersions()
	require.True(t, v.due(begin, versionsEvery))
	require.False(t, v.due(after(versionsEvery-1), versionsEvery))
	require.True(t, v.due(after(versionsEvery), versionsEvery))
	require.False(t, v.due(after(versionsEvery+1), versionsEvery))
	v.lookSoon()
	require.True(t, v.due(after(versionsEvery+2), versionsEvery))
}
