package consult_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/pluginhost"
)

func zeros(n int) []byte {
	return []byte(`{"x":[` + strings.TrimSuffix(strings.Repeat("0,", n), ",") + `]}`)
}

func nested(open, inner, closing string, times int) []byte {
	return []byte(`{"x":` + strings.Repeat(open, times-1) + inner + strings.Repeat(closing, times-1) + `}`)
}

// All Pods of a Framework that are asked about, also by several calls at the same time, share the parameters.
func TestParametersAreBuiltOnce(t *testing.T) {
	h := &host{opinions: []opinion{classifier("c", 1)}}
	panel := consult.New(h, nil)
	uses := func() []v1.PluginUse { return []v1.PluginUse{{Name: "c", Parameters: zeros(30000)}} }
	var pods []consult.FailedPod
	for i := range 50 {
		pods = append(pods, consult.FailedPod{Question: &pluginpb.FailedPod{Uid: fmt.Sprint(i)}})
	}
	for range 2 {
		panel.Classify(t.Context(), uses(), pods, h.skip)
	}
	if len(h.pods) != 100 || len(h.pods[0].GetParameters().GetFields()["x"].GetListValue().GetValues()) != 30000 {
		t.Fatalf("%d Pods", len(h.pods))
	}
	for _, p := range h.pods {
		if p.Parameters != h.pods[0].Parameters {
			t.Fatal("Pods have parameters of their own")
		}
	}
}

// A plugin is not asked about a Framework whose parameters exceed the limits. The effect is the same as if the plugin itself had refused
// them.
func TestParametersThatAreRefused(t *testing.T) {
	for name, test := range map[string]struct {
		parameters []byte
		want       string
	}{
		"as large as may be": {zeros((consult.MaxParameters - len(`{"x":[]}`) + 1) / 2), ""},
		"too large":          {zeros(100_000), "spec.plugins[1].parameters: has 200007 bytes of JSON, more than the 65536 that are allowed"},
		"arrays":             {nested("[", "", "]", consult.MaxDepth), ""},
		"objects":            {nested(`{"a":`, "1", "}", consult.MaxDepth), ""},
		"too deep":           {nested("[", "", "]", consult.MaxDepth+1), "spec.plugins[1].parameters: is nested more than 32 levels deep"},
		"objects too deep":   {nested(`{"[":`, "1", "}", consult.MaxDepth+1), "spec.plugins[1].parameters: is nested more than 32 levels deep"},
		"brackets in texts":  {[]byte(`{"x":"\"` + strings.Repeat("[", 99) + `"}`), ""},
		"no such number":     {[]byte(`{"x":1e400}`), "spec.plugins[1].parameters: json: cannot unmarshal number 1e400"},
		"a long number":      {[]byte(`{"x":0.` + strings.Repeat("0", 60_000) + `1}`), ""},
		"much too great":     {[]byte(`{"x":1` + strings.Repeat("0", 60_000) + `}`), "spec.plugins[1].parameters: json: cannot unmarshal number 10000"},
		"no object":          {[]byte(`[1]`), "spec.plugins[1].parameters: json: cannot unmarshal array"},
		"null":               {[]byte(`null`), ""},
		"no JSON":            {[]byte(`{`), "spec.plugins[1].parameters: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			uses := func(plugin string) []v1.PluginUse {
				return []v1.PluginUse{{Name: "off", Disabled: true, Parameters: zeros(100_000)}, {Name: plugin, Parameters: test.parameters}}
			}
			reasons := map[string]string{}
			goesOn := &host{opinions: []opinion{classifier("c", 1), policy("p", 0), hinter("h", nil)}}
			panel := consult.New(goesOn, nil)
			skipped := func(plugin string, why error) { reasons[plugin] = refusalIn(why) }
			panel.Classify(t.Context(), uses("c"), []consult.FailedPod{failed()}, skipped)
			_, err := panel.Decide(t.Context(), uses("p"), &pluginpb.DecideRequest{}, skipped)
			reasons["p"] = refusalIn(err) // it is waited for, since it is chosen
			_, err = panel.Hints(t.Context(), uses("h"), "", &pluginpb.HintRequest{}, nil, skipped)
			reasons["h"] = refusalIn(err)
			_, err = panel.MayCreate(t.Context(), uses("h"), "h", &pluginpb.MayCreateRequest{}, skipped)
			reasons["h, may create"] = refusalIn(err)
			for _, plugin := range []string{"c", "p", "h", "h, may create"} {
				if got := reasons[plugin]; !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") || len(got) > 300 {
					t.Errorf("%s: got %q, want %q", plugin, got, test.want)
				}
			}
			if asked := len(goesOn.asked) > 0; asked != (test.want == "") {
				t.Errorf("asked %.200q", goesOn.asked)
			}
		})
	}
}

// refusalIn returns the reason of a refusal; empty for other errors.
func refusalIn(err error) string {
	if refusal := new(consult.Refusal); errors.As(err, &refusal) {
		return refusal.Reason
	}
	return ""
}

// The failure policy applies to a question that is refused for its parameters.
func TestRefusedParametersAreWaitedFor(t *testing.T) {
	c := classifier("c", 1)
	c.config.FailurePolicy = pluginhost.Wait
	h := &host{opinions: []opinion{c}}
	uses := []v1.PluginUse{{Name: "c", Parameters: zeros(100_000)}}
	got := consult.New(h, nil).Classify(t.Context(), uses, []consult.FailedPod{failed()}, h.skip)["u"]
	if !strings.HasPrefix(refusalIn(got.Err), "spec.plugins[0].parameters: has ") || len(h.asked) > 0 {
		t.Errorf("%v, asked %q", got, h.asked)
	}
}

// FuzzParameters: for any parameters of a Framework, a plugin either gets exactly these, in a message that programs in every language can
// read, or it is not asked, with a reason of one line.
func FuzzParameters(f *testing.F) {
	for _, seed := range []string{`{}`, `null`, `{"a":[1,{"b":null}]}`, `{"a":1e400}`, `{"a":-1e-400}`, `{"a":"\ud800"}`, "{\"a\":\"\xff\"}",
		`{"a":1,"a":2}`, `[[[[`, `{"a":1e999999999999}`, ` {"a" : "]" } `} {
		f.Add(seed, 1)
	}
	f.Add("[", 100_000)
	f.Add(`{"a":`, 20_000)
	f.Add("0,", 40_000)
	f.Fuzz(func(t *testing.T, part string, times int) {
		if times < 1 || times > 100_000 || len(part)*times > 1<<20 {
			t.Skip()
		}
		raw := []byte(strings.Repeat(part, times))
		h := &host{opinions: []opinion{classifier("c", 1)}}
		reason := ""
		consult.New(h, nil).Classify(t.Context(), []v1.PluginUse{{Name: "c", Parameters: raw}}, []consult.FailedPod{failed()},
			func(_ string, why error) { reason = refusalIn(why) })
		if reason != "" {
			if len(h.pods) > 0 || len(reason) > 500 || strings.ContainsAny(reason, "\n\r") {
				t.Fatalf("asked %d times, refused because %q", len(h.pods), reason)
			}
			return
		}
		sameAsJSON(t, raw, h.pods[0])
	})
}

func sameAsJSON(t *testing.T, raw []byte, pod *pluginpb.FailedPod) {
	var want map[string]any
	if err := json.Unmarshal(raw, &want); len(raw) > 0 && err != nil {
		t.Fatal(err)
	}
	if got := pod.GetParameters().AsMap(); len(want) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("%v, want %v", got, want)
	}
	wire, err := proto.Marshal(&pluginpb.ClassifyRequest{Pods: []*pluginpb.FailedPod{pod}})
	require.NoError(t, err)
	// Other languages give up at this depth.
	require.NoError(t, (proto.UnmarshalOptions{RecursionLimit: 100}).Unmarshal(wire, &pluginpb.ClassifyRequest{}))
	if _, err := protojson.Marshal(pod); err != nil {
		t.Fatal(err)
	}
}
