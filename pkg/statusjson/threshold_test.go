package statusjson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// padded returns roles for which size is exactly the given number of bytes.
func padded(t *testing.T, bytes int, size func([]Role) int) []Role {
	t.Helper()
	roles := []Role{newRole("a", 10, 0), newRole("b", 0, 0)}
	roles[1].Name = strings.Repeat("b", bytes-size(roles)+1)
	if got := size(roles); got != bytes {
		t.Fatalf("the roles have %d bytes, want %d", got, bytes)
	}
	return roles
}

func sizeOf(t *testing.T, value any) int {
	t.Helper()
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return len(text)
}

// If early compression is on, it begins at exactly 700 KiB of raw roles, as measured after decompression.
func TestEarlyFromJustSoManyBytes(t *testing.T) {
	status := newStatus()
	rolesOnly := func(roles []Role) int { return sizeOf(t, plain(status, roles).AttemptStatus.TaskRoleStatuses) }
	for bytes, want := range map[int]bool{716799: false, 716800: true} {
		text, report := encode(t, &Encoder{Early: true}, status, padded(t, bytes, rolesOnly))
		if got := isCompressed(t, text); got != want || report != (Report{}) {
			t.Errorf("%d bytes: compressed %v, report %+v", bytes, got, report)
		}
	}
}

// Otherwise it begins beyond 1 MiB of the whole status, and is reported.
func TestCompressedBeyondAMebibyte(t *testing.T) {
	status := newStatus()
	whole := func(roles []Role) int { return sizeOf(t, plain(status, roles)) }
	for bytes, want := range map[int]bool{1 << 20: false, 1<<20 + 1: true} {
		text, report := encode(t, &Encoder{}, status, padded(t, bytes, whole))
		if got := isCompressed(t, text); got != want || report != (Report{Compressed: want}) {
			t.Errorf("%d bytes: compressed %v, report %+v", bytes, got, report)
		}
	}
}

// Among messages of equal length, the ones of the Tasks that completed first are cut first.
func TestOldestMessagesAreCutFirst(t *testing.T) {
	status, roles := newStatus(), []Role{newRole("a", 400, 2000)}
	compressed, _ := encodeInto(t, &Encoder{}, status, roles, 1000)
	whole, _ := encode(t, &Encoder{Early: true}, status, roles)
	most := len(whole) * 9 / 10
	if most <= len(compressed) {
		t.Fatalf("nothing is left to choose: %d bytes of %d", most, len(whole))
	}
	encoded, report := encodeInto(t, &Encoder{}, status, roles, most)
	if !report.Cut || len(encoded) > most {
		t.Fatalf("%d bytes, report %+v", len(encoded), report)
	}
	tasks := decode(t, encoded).AttemptStatus.TaskRoleStatuses[0].TaskStatuses
	first, last := messageBytes(tasks[0]), messageBytes(tasks[len(tasks)-1])
	if first >= last {
		t.Errorf("%d bytes are left of the first, %d of the last", first, last)
	}
}

func messageBytes(t v1.TaskStatus) int {
	return len(t.AttemptStatus.CompletionStatus.Pod.Containers[0].Message)
}
