package completion

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// As recorded from the original on a real cluster, with its default configuration.
func TestRecordedDiagnostics(t *testing.T) {
	oom := `[{code: -1200, phrase: ContainerDockerOOMKilled, type: {attributes: [Permanent]}, podPatterns: [{containers: [
		{reasonRegex: '(?i)^OOMKilled$', codeRange: {min: 1}, nameRegex: '(?ms).*', messageRegex: '(?ms).*'}]}]}]`
	initDone := Container{Name: "init", Init: true, Terminated: true, Reason: "Completed"}
	ended := func(reason string, code int32) Pod {
		return podOf(initDone, Container{Name: "c", Terminated: true, Reason: reason, Message: "last words", Code: code})
	}
	tests := []struct {
		pod  Pod
		want string
	}{
		{ended("OOMKilled", 137), `{"code":-1200,"phrase":"ContainerDockerOOMKilled","type":{"name":"Failed","attributes":["Permanent"]},` +
			`"diagnostics":"Pod failed: PodPattern matched: ` +
			`{\"containers\":[{\"name\":\"c\",\"reason\":\"OOMKilled\",\"message\":\"last words\",\"code\":137}]}"}`},
		{ended("Error", 201), `{"code":201,"phrase":"ContainerTransientConflictFailed","type":{"name":"Failed","attributes":["Transient","Conflict"]},` +
			`"diagnostics":"Pod failed: PodPattern matched: ` +
			`{\"containers\":[{\"name\":\"c\",\"message\":\"last words\",\"code\":201}]}"}`},
		{ended("Error", 1), `{"code":1,"phrase":"ContainerUnrecognizedFailed","type":{"name":"Failed","attributes":[]},` +
			`"diagnostics":"Pod failed: PodPattern unmatched: ` +
			`{\"containers\":[{\"name\":\"init\",\"reason\":\"Completed\",\"code\":0},{\"name\":\"c\",\"reason\":\"Error\",\"message\":\"last words\",\"code\":1}]}"}`},
	}
	for _, tt := range tests {
		got, err := json.Marshal(rulesFrom(t, oom).Classify(tt.pod))
		if err != nil || string(got) != tt.want {
			t.Errorf("\n got %s\nwant %s", got, tt.want)
		}
	}
}

func TestUnmatchedDiagnosticsListEveryContainer(t *testing.T) {
	p := Pod{Name: "f-worker-0", Reason: "Odd", Message: "a<b>&\"c\"\n\u2028", Containers: []Container{
		sidecar(exited("proxy", 143, 9)),
		running("r"),
		{Name: "c", Terminated: true, Code: 139, Signal: 11},
	}}
	var rules *Rules
	got := rules.Classify(p).Diagnostics
	want := `Pod failed: PodPattern unmatched: {"reason":"Odd","message":"a\u003cb\u003e\u0026\"c\"\n\u2028","containers":[` +
		`{"name":"proxy","code":143},{"name":"r","code":0},{"name":"c","signal":11,"code":139}]}`
	if got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

func TestPodStatus(t *testing.T) {
	// Leftover values in a container that did not terminate are never shown.
	p := podOf(Container{Name: "r", Code: 5, Signal: 9, Reason: "Waiting", Message: "m"}, Container{
		Name: "c", Terminated: true, Code: 1, Signal: 2, Reason: "Error", Message: "why"})
	got := compactJSON(p.Status())
	if want := `{"containers":[{"name":"r","code":0},{"name":"c","reason":"Error","message":"why","signal":2,"code":1}]}`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
	if got := compactJSON(Pod{Reason: "Evicted", Message: "m"}.Status()); got != `{"reason":"Evicted","message":"m"}` {
		t.Errorf("got %s", got)
	}
}

// Diagnostics of any message must be parseable as a widely deployed client does it (clients.md part 3).
func FuzzDiagnosticsAreMachineRead(f *testing.F) {
	f.Add("Evicted", "plain", int32(1))
	f.Add("", "matched: {\n}\r\u2029</script>", int32(0))
	f.Add("\xff", "\x00", int32(200))
	client := regexp.MustCompile(`matched: (.*)`)
	rules, err := Compile([]RuleSpec{{Code: new(int32(300)), PodPatterns: []*PodPatternSpec{{
		ReasonRegex: new("E"), MessageRegex: new("(?ms).*"), Containers: []*ContainerPatternSpec{{NameRegex: new("")}},
	}}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, reason, message string, code int32) {
		p := Pod{Reason: reason, Message: message, Containers: []Container{
			{Name: reason, Terminated: true, Code: code, Reason: reason, Message: message},
		}}
		got := rules.Classify(p)
		found := client.FindStringSubmatch(got.Diagnostics)
		if found == nil || !json.Valid([]byte(found[1])) || !strings.HasSuffix(got.Diagnostics, found[1]) {
			t.Errorf("not machine-readable: %q", got.Diagnostics)
		}
		if again := rules.Classify(p); again.Code != got.Code || again.Diagnostics != got.Diagnostics {
			t.Errorf("asked twice, got %+v and %+v", got, again)
		}
	})
}
