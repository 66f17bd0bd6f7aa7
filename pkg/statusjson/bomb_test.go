package statusjson

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// A status that is small in storage, and large in memory, is refused before the memory is allocated.
func TestBombs(t *testing.T) {
	const memory = 3 << 29 // allocated bytes, including memory freed meanwhile
	bombs := map[string][]byte{
		"containers": compressedStatus(t, `[{"taskStatuses":[{"attemptStatus":{"completionStatus":{"pod":{"containers":[{}`,
			`,{}`, 5e6, `]}}}}]}]`),
		"attributes": compressedStatus(t, `[{"taskStatuses":[{"attemptStatus":{"completionStatus":{"type":{"attributes":[""`,
			`,""`, 5e6, `]}}}}]}]`),
		"Tasks after what is no role": compressedStatus(t, `[5,{"taskStatuses":[{}`, `,{}`, 3.9e6, `]}]`),
		"Tasks after what are none":   compressedStatus(t, `[{"taskStatuses":5,"taskStatuses":[{}`, `,{}`, 3.9e6, `]}]`),
		"unknown field":               compressedStatus(t, `[{"x":[0`, `,0`, 5e6, `]}]`),
		"keys":                        compressedStatus(t, `[{"a":0`, `,"a":0`, 5e6, `}]`),
		"blanks":                      compressedStatus(t, `[`, ` `, 300e6, `]`),
	}
	for name, stored := range bombs {
		t.Run(name, func(t *testing.T) {
			if len(stored) > 1<<20 {
				t.Fatalf("it has %d bytes, and is no bomb", len(stored))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Decode(stored)
			runtime.ReadMemStats(&after)
			if err == nil {
				t.Errorf("got %v", err)
			}
			if taken := after.TotalAlloc - before.TotalAlloc; taken > memory {
				t.Errorf("%d bytes of memory for %d that are stored", taken, len(stored))
			}
		})
	}
}

// The limits are far from any real status: 30,000 Tasks, failed with several containers, and brackets in messages.
func TestNoBomb(t *testing.T) {
	const containers = `[{"name":"a","message":"[,,{\"],"},{"name":"b"},{"name":"c"},{"name":"d"}]`
	task := `{"index":1,"state":"Completed","retryPolicyStatus":{"totalRetriedCount":1,"accountableRetriedCount":0,"retryDelaySec":null},
		"attemptStatus":{"id":1,"podName":"a","podUID":"b","podIP":"c","completionStatus":{"code":1,"phrase":"d",
		"type":{"name":"Failed","attributes":["Transient","Conflict"]},"diagnostics":"{,,}\\","pod":{"containers":` + containers + `}}}}`
	status, err := Decode(compressedStatus(t, `[{"name":"a","taskStatuses":[`+task, `,`+task, 30_000, `]}]`))
	require.NoError(t, err)
	if got := len(status.AttemptStatus.TaskRoleStatuses[0].TaskStatuses); got != 30_001 {
		t.Errorf("%d Tasks", got)
	}
}
