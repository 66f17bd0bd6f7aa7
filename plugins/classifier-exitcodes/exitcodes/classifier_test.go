package exitcodes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/types/known/timestamppb"
	"gopkg.in/yaml.v3"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

func parametersFrom(t *testing.T, text string) map[string]any {
	t.Helper()
	var parameters map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(text), &parameters))
	return parameters
}

func configured(t *testing.T, text string) plugin.FailureClassifier {
	t.Helper()
	p := New()
	require.NoError(t, p.Configure("it", plugintest.Parameters(t, parametersFrom(t, text))))
	return p.FailureClassifier
}

func exited(code int32, reason string) *pluginpb.Container {
	return &pluginpb.Container{Name: "main", Terminated: &pluginpb.Terminated{ExitCode: code, Reason: reason}}
}

func pod(namespace, role, node string, c *pluginpb.Container, earlier ...*pluginpb.EarlierVerdict) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{
		Uid: "u", Framework: &pluginpb.Framework{Namespace: namespace}, TaskRole: role, Node: node,
		Containers: []*pluginpb.Container{c}, Earlier: earlier,
	}
}

func before(code int32, phrase, node string) *pluginpb.EarlierVerdict {
	return &pluginpb.EarlierVerdict{Code: code, Phrase: phrase, Node: node}
}

// line renders a verdict on one line.
func line(v *pluginpb.Verdict) string {
	if v == nil {
		return "no opinion"
	}
	return fmt.Sprintf("%d %s %v by %s: %s", v.Code, v.Phrase, v.Type.Attributes, v.Rule, v.Diagnostics)
}

const everything = `
codes:
  "42": {phrase: LicenseServerBusy, type: {attributes: [Transient, Conflict]}}
  "40-49": {phrase: Forties}
  "205": {code: 1205, phrase: Moved}
  "210-230": {phrase: High, type: {name: Failed, attributes: [Permanent]}}
  "-1073741510": {phrase: CtrlC, type: {attributes: [Transient]}}
namespaces:
  team-a:
    "42": {phrase: WrongInput, type: {attributes: [Permanent]}}
taskRoles:
  ps:
    "42": {phrase: ServerLost, type: {attributes: [Transient]}}
sameCodeOnNodes: {nodes: 3}
outOfMemory: {times: 3}
`

func TestJudge(t *testing.T) {
	c := configured(t, everything)
	tests := []struct {
		name string
		pod  *pluginpb.FailedPod
		want string
	}{
		{"a single code goes before a range", pod("b", "worker", "n1", exited(42, "Error")),
			"42 LicenseServerBusy [Transient Conflict] by codes.42: container main exited with code 42, reason Error"},
		{"a range", pod("b", "worker", "n1", exited(43, "")), "43 Forties [] by codes.40-49: container main exited with code 43"},
		{"of the namespace", pod("team-a", "worker", "n1", exited(42, "")),
			"42 WrongInput [Permanent] by namespaces.team-a.42: container main exited with code 42"},
		{"of the role, before that of the namespace", pod("team-a", "ps", "n1", exited(42, "")),
			"42 ServerLost [Transient] by taskRoles.ps.42: container main exited with code 42"},
		{"the namespace does not know it", pod("team-a", "worker", "n1", exited(49, "")),
			"49 Forties [] by codes.40-49: container main exited with code 49"},
		{"another code", pod("b", "worker", "n1", exited(205, "")), "1205 Moved [] by codes.205: container main exited with code 205"},
		{"of Windows", pod("b", "worker", "n1", exited(-1073741510, "")),
			"-1073741510 CtrlC [Transient] by codes.-1073741510: container main exited with code -1073741510"},
		{"unknown", pod("b", "worker", "n1", exited(7, "")), "no opinion"},
		{"the controller's own in a range", pod("b", "worker", "n1", exited(210, "")), "no opinion"},
		{"nothing failed", pod("b", "worker", "n1", exited(0, "")), "no opinion"},

		{"on two nodes", pod("b", "worker", "n2", exited(7, ""), before(7, "", "n1")), "no opinion"},
		{"on three nodes", pod("b", "worker", "n2", exited(7, ""), before(7, "", "n3"), before(7, "", "n1")),
			"7 SameCodeOnNodes [Permanent] by sameCodeOnNodes: exit code 7 on 3 different nodes: n1, n2, n3"},
		{"three times on two nodes", pod("b", "worker", "n2", exited(7, ""), before(7, "", "n2"), before(7, "", "n1")), "no opinion"},
		{"another code on the third node", pod("b", "worker", "n2", exited(7, ""), before(8, "", "n3"), before(7, "", "n1")), "no opinion"},
		{"no node", pod("b", "worker", "", exited(7, ""), before(7, "", "n3"), before(7, "", "n1")), "no opinion"},
		{"a signal says nothing about nodes", pod("b", "worker", "n2", exited(143, ""), before(143, "", "n3"), before(143, "", "n1")), "no opinion"},
		{"nor does a negative one", pod("b", "worker", "n2", exited(-300, ""), before(-10300, "", "n3"), before(-10300, "", "n1")), "no opinion"},
		{"more important than the meaning", pod("b", "worker", "n2", exited(42, ""), before(42, "", "n3"), before(42, "", "n1")),
			"42 SameCodeOnNodes [Permanent] by sameCodeOnNodes: exit code 42 on 3 different nodes: n1, n2, n3"},

		{"out of memory", pod("b", "worker", "n1", exited(137, "OOMKilled")),
			"137 ContainerOutOfMemory [Transient] by outOfMemory: container main was killed for the memory it used, 1 of 3 times"},
		{"out of memory, after something else", pod("b", "worker", "n1", exited(137, "OOMKilled"), before(137, "ContainerOutOfMemory", "n1"), before(137, "Other", "n1")),
			"137 ContainerOutOfMemory [Transient] by outOfMemory: container main was killed for the memory it used, 2 of 3 times"},
		{"out of memory once too often", pod("b", "worker", "n1", exited(137, "OOMKilled"), before(137, "ContainerOutOfMemory", "n1"), before(137, "ContainerOutOfMemory", "n1")),
			"137 ContainerOutOfMemoryAgain [Permanent] by outOfMemory: container main was killed for the memory it used, 3 of 3 times"},
	}
	for _, test := range tests {
		v, err := c.Classify(t.Context(), test.pod)
		if got := line(v); err != nil || got != test.want {
			t.Errorf("%s: %s %v, want %s", test.name, got, err, test.want)
		}
	}
}

// Keys may be negative, as exit codes of Windows are. A code that looks like one of the controller's is moved, so that earlier attempts
// have the same code, no matter which classifier judged them.
func TestNegativeExitCodes(t *testing.T) {
	c := configured(t, `
codes:
  "-1073741510": {phrase: CtrlC}
  "-1500": {phrase: AsItIsSpelt}
  "-999--900": {phrase: Moved}
  "-101": {code: 1101, phrase: Own}
sameCodeOnNodes: {nodes: 2, codes: ["-2147483648--1"]}
`)
	tests := []struct {
		pod  *pluginpb.FailedPod
		want string
	}{
		{pod("b", "worker", "n1", exited(-1073741510, "")), "-1073741510 CtrlC"},
		{pod("b", "worker", "n1", exited(-1500, "")), "-1500 AsItIsSpelt"},
		{pod("b", "worker", "n1", exited(-950, "")), "-10950 Moved"},
		{pod("b", "worker", "n1", exited(-101, "")), "1101 Own"},
		{pod("b", "worker", "n1", exited(-7, "")), "no opinion"},
		{pod("b", "worker", "n1", exited(-7, ""), before(-10007, "", "n2")), "-10007 SameCodeOnNodes"},
		{pod("b", "worker", "n1", exited(-1700, ""), before(-11700, "", "n2")), "-11700 SameCodeOnNodes"},
	}
	for _, test := range tests {
		v, err := c.Classify(t.Context(), test.pod)
		if got := line(v); err != nil || !strings.HasPrefix(got, test.want) {
			t.Errorf("%s %v, want %s", got, err, test.want)
		}
	}
}

// Without a rule of the configuration, wrong parameters of a Framework are refused: one of its own might have been meant.
func TestWrongParametersOfTheFramework(t *testing.T) {
	c := configured(t, everything)
	q := pod("b", "worker", "n1", exited(143, ""))
	if v, err := c.Classify(t.Context(), q); v != nil || err != nil {
		t.Fatalf("there is a rule for that code: %v, %v", v, err)
	}
	q.Parameters = plugintest.Parameters(t, parametersFrom(t, `codes: {"x": {phrase: Mine}}`))
	v, err := c.Classify(t.Context(), q)
	want := `the parameters of the Framework are wrong: codes: must be a code like 42, or a range like 64-78, but is "x"`
	if err != nil || v.GetRefusal() != want || v.GetCode() != 0 {
		t.Errorf("%v, %v", v, err)
	}
}

// A parameter of the Framework replaces that part of the configuration; a wrong one is ignored and reported.
func TestParametersOfTheFramework(t *testing.T) {
	c := configured(t, everything)
	tests := []struct{ parameters, want string }{
		{`codes: {"42": {phrase: Mine}}`, "42 WrongInput [Permanent] by namespaces.team-a.42"},
		{`namespaces: {}`, "42 LicenseServerBusy [Transient Conflict] by codes.42"},
		{`{namespaces: {}, codes: {"42": {phrase: Mine}}}`, "42 Mine [] by codes.42"},
		{`{namespaces: {}, codes: {"x": {phrase: Mine}}}`,
			"42 WrongInput [Permanent] by namespaces.team-a.42; the parameters of the Framework were ignored: codes: must be a code like 42, or a range like 64-78, but is \"x\""},
	}
	for _, test := range tests {
		q := pod("team-a", "worker", "n1", exited(42, ""))
		q.Parameters = plugintest.Parameters(t, parametersFrom(t, test.parameters))
		v, err := c.Classify(t.Context(), q)
		if got := line(v); err != nil || !strings.HasPrefix(got, test.want+": ") {
			t.Errorf("%s: %s %v, want %s", test.parameters, got, err, test.want)
		}
	}
}

// Exit codes 200, 201 and 210 of any container but sidecars take precedence over the configuration.
func TestPredefinedCodesOfOtherContainers(t *testing.T) {
	c := configured(t, everything)
	sidecar := func(c *pluginpb.Container) *pluginpb.Container {
		c.Init, c.Sidecar = true, true
		return c
	}
	tests := []struct {
		name        string
		last, other *pluginpb.Container
		want        int32 // 0 for no opinion
	}{
		{"a configured code", exited(42, ""), exited(1, ""), 42},
		{"a configured code after 210", exited(42, ""), exited(210, ""), 0},
		{"a configured code after 201", exited(42, ""), exited(201, ""), 0},
		{"a configured code after 200", exited(42, ""), exited(200, ""), 0},
		{"out of memory after 210", exited(137, "OOMKilled"), exited(210, ""), 0},
		{"a configured code after a reserved one", exited(42, ""), exited(205, ""), 42},
		{"a configured code, and a sidecar with 210", exited(42, ""), sidecar(exited(210, "")), 42},
		{"only sidecars failed", sidecar(exited(42, "")), sidecar(exited(210, "")), 0},
	}
	for _, test := range tests {
		test.last.Terminated.FinishedAt = &timestamppb.Timestamp{Seconds: 5}
		q := pod("b", "worker", "n1", test.other)
		q.Containers = append(q.Containers, test.last)
		if v, err := c.Classify(t.Context(), q); err != nil || v.GetCode() != test.want {
			t.Errorf("%s: %v %v, want code %d", test.name, v, err, test.want)
		}
	}
}

// Where the built-in rules find one of these codes, the plugin has no opinion. Where they go by the container that failed
// last, it judges the same exit code.
func TestPredefinedCodesAreThoseOfTheBuiltInRules(t *testing.T) {
	c := configured(t, `codes: {"1-199": {phrase: P}, "220-300": {phrase: P}}`)
	r := rand.New(rand.NewPCG(6, 6))
	left, judged := 0, 0
	for range 5000 {
		q := plugintest.RandomPod(r)
		builtIn := (*completion.Rules)(nil).Classify(podverdict.Pod(q))
		v, err := c.Classify(t.Context(), q)
		isPredefined := completion.IsPredefined(builtIn, predefined...)
		if err != nil || v != nil && (isPredefined || v.Code != builtIn.Code) {
			t.Fatalf("%v: %v %v, and by the built-in rules %d", q, v, err, builtIn.Code)
		}
		if isPredefined {
			left++
		}
		if v != nil {
			judged++
		}
	}
	if left == 0 || judged == 0 {
		t.Errorf("%d left to the built-in rules, %d judged", left, judged)
	}
}

func TestWrongParameters(t *testing.T) {
	tests := []struct{ parameters, mention string }{
		{`code: {}`, "code"},
		{`codes: {"x": {phrase: P}}`, `codes: must be a code like 42, or a range like 64-78, but is "x"`},
		{`codes: {"9-5": {phrase: P}}`, `"9-5"`},
		{`codes: {"99999999999": {phrase: P}}`, `"99999999999"`},
		{`codes: {"5": {}}`, "codes.5.phrase"},
		{`codes: {"5": {phrase: P, type: {attributes: [Sometimes]}}}`, "codes.5.type.attributes"},
		{`codes: {"5": {phrase: P, type: {name: Succeeded}}}`, "codes.5.type.name"},
		{`codes: {"5": {phrase: P, code: 200}}`, "codes.5.code"},
		{`codes: {"205": {phrase: P}}`, "codes.205: 205 is the controller's own, so code is required"},
		{`codes: {"210": {phrase: P, code: 1210}}`, "codes.210: 210 is the controller's own, and has the same meaning everywhere"},
		{`codes: {"5-9": {phrase: P}, "9-12": {phrase: P}}`, "codes.9-12: overlaps with codes.5-9"},
		{`codes: {"5": {phrase: P}, "05": {phrase: P}}`, "overlaps"},
		{`namespaces: {a: {"5": {}}}`, "namespaces.a.5.phrase"},
		{`taskRoles: {a: {"5": {phrase: 7}}}`, "taskRoles"},
		{`sameCodeOnNodes: {}`, "sameCodeOnNodes.nodes"},
		{`sameCodeOnNodes: {nodes: 17}`, "sameCodeOnNodes.nodes"},
		{`sameCodeOnNodes: {nodes: 3, codes: [x]}`, "sameCodeOnNodes.codes[0]"},
		{`outOfMemory: {times: 0}`, "outOfMemory.times"},
	}
	for _, test := range tests {
		err := New().Configure("it", plugintest.Parameters(t, parametersFrom(t, test.parameters)))
		if err == nil || !strings.Contains(err.Error(), test.mention) {
			t.Errorf("%s: %v, want an error that mentions %s", test.parameters, err, test.mention)
		}
	}
}

// A single code within a range is no overlap.
func TestTableOrder(t *testing.T) {
	table, err := compileTable("codes", tableSpec{"1-9": {Phrase: "A"}, "5": {Phrase: "B"}, "10-20": {Phrase: "C"}})
	require.NoError(t, err)
	var got []string
	for code := int32(4); code <= 21; code++ {
		e, _ := table.find(code)
		got = append(got, e.meaning.Phrase)
	}
	if want := strings.Split("A B A A A A C C C C C C C C C C C ", " "); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
