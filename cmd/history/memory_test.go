package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/test/machine"
)

// serveAt, as a variable of the environment, makes this program a server with these arguments.
const serveAt = "HISTORY_SERVE_AT"

func TestMain(m *testing.M) {
	if args := os.Getenv(serveAt); args != "" {
		os.Args = append(os.Args[:1], strings.Fields(args)...)
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// Limits of the memory of the server, in KiB.
const (
	mostIdle = 60 << 10
	mostPeak = 300 << 10
)

// The server is small while it is idle, and keeps its limit while 10,000 Pods end at once and 20 senders compete.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector, which runs with -short, takes memory of its own")
	}
	address := freeAddress(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), serveAt+"=serve --no-auth --address "+address+" --database "+filepath.Join(t.TempDir(), "h.db"))
	require.NoError(t, cmd.Start())
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	require.Eventually(t, func() bool { return get("http://"+address+"/readyz") == "ok" }, machine.Within(30*time.Second), 20*time.Millisecond)
	idle, ofProgram := memoryOf(t, cmd.Process.Pid, "VmRSS"), memoryOf(t, cmd.Process.Pid, "RssFile")
	const pods, batch = 10_000, 500
	var senders sync.WaitGroup
	for first := 0; first < pods; first += batch {
		senders.Go(func() { send(t, address, endings(first, batch)) })
	}
	senders.Wait()
	peak := memoryOf(t, cmd.Process.Pid, "VmHWM")
	t.Logf("idle %d MiB, of which the kernel has mapped %d MiB of the program's file; peak %d MiB", idle>>10, ofProgram>>10, peak>>10)
	require.Less(t, idle, mostIdle)
	require.Less(t, peak, mostPeak)
	require.Contains(t, get("http://"+address+"/api/v1/report?by=role"), `"attempts":10000`)
}

// endings are the records of Tasks that end with messages of the longest allowed size.
func endings(first, n int) []byte {
	var request pluginpb.StoreRequest
	now := timestamppb.Now()
	for i := first; i < first+n; i++ {
		request.Records = append(request.Records, &pluginpb.Record{Key: strconv.Itoa(i), Time: now,
			Framework: &pluginpb.Framework{Namespace: "prod", Name: "large", Uid: "u"},
			Content: &pluginpb.Record_TaskAttempt{TaskAttempt: &pluginpb.TaskAttemptRecord{TaskRole: "worker", TaskIndex: int32(i),
				PodName: fmt.Sprintf("large-worker-%d", i), Node: fmt.Sprintf("node-%d", i%200), Began: now, Scheduled: now, Ended: now,
				Completion: &pluginpb.Completion{Code: 1, Type: &pluginpb.CompletionType{Name: "Failed"}},
				Containers: []*pluginpb.ContainerRecord{{Name: "main", Image: "train:1", ExitCode: new(int32(1)),
					Message: strings.Repeat(fmt.Sprintf("line %d of a trace\n", i), 180)}}}}})
	}
	body, err := proto.Marshal(&request)
	if err != nil {
		panic(err) // the records are ours
	}
	return body
}

// send repeats a request until it is stored, as a sink does.
func send(t *testing.T, address string, body []byte) {
	for range 100 {
		answer, err := http.Post("http://"+address+"/api/v1/records", "application/x-protobuf", bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Error("the records are not stored")
}

// memoryOf returns a line of the status of a process, in KiB.
func memoryOf(t *testing.T, pid int, name string) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Skip("the memory of a process is read from /proc:", err)
	}
	_, rest, found := strings.Cut(string(status), name+":")
	require.True(t, found)
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	return kib
}
