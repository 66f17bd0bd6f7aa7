package statusjson

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// compressedStatus is a stored status with these roles, which consist of a begin, a part that is repeated, and an end.
func compressedStatus(t testing.TB, begin, part string, times int, end string) []byte {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	many := strings.Repeat(part, 1000)
	io.WriteString(w, begin)
	for range times / 1000 {
		io.WriteString(w, many)
	}
	io.WriteString(w, end)
	require.NoError(t, w.Close())
	text, err := json.Marshal(map[string]any{"attemptStatus": map[string]any{"taskRoleStatusesCompressed": packed.Bytes()}})
	require.NoError(t, err)
	return text
}

// FuzzDecode: any bytes as a stored status, and as its compressed part, are read or refused, and roles are the same whether they
// were compressed or not.
func FuzzDecode(f *testing.F) {
	for _, roles := range []string{`[]`, `null`, `[{"name":"a","taskStatuses":[{"index":0},null]}]`, `[{}`, `{}`, `[{"name":"\\\"[,"}]`, `[[[,,]]]`, `[]x`} {
		f.Add([]byte(`{"state":"AttemptRunning"}`), []byte(roles))
	}
	f.Add([]byte(`{"attemptStatus":{"taskRoleStatuses":[],"taskRoleStatusesCompressed":"eA=="}}`), []byte(`[]`))
	f.Add([]byte(`{"attemptStatus":{"taskRoleStatusesCompressed":"H4sIAAAAAAAA/4qOBQAAAP//"}}`), []byte(``))
	f.Fuzz(func(t *testing.T, stored, roles []byte) {
		if status, err := Decode(stored); err == nil && status != nil && status.AttemptStatus.TaskRoleStatusesCompressed != nil {
			t.Errorf("something is left compressed in %s", stored)
		}
		packed, err := Decode(compressedStatus(t, string(roles), "", 0, ""))
		var plain []v1.TaskRoleStatus
		wantErr := json.NewDecoder(bytes.NewReader(roles)).Decode(&plain)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("got %v, and %v without compression", err, wantErr)
		}
		if err == nil && jsonText(t, packed.AttemptStatus.TaskRoleStatuses) != jsonText(t, plain) {
			t.Errorf("%s became %s", roles, jsonText(t, packed.AttemptStatus.TaskRoleStatuses))
		}
	})
}

func jsonText(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
}
