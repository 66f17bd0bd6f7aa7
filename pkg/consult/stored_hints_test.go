package consult_test

import (
	"encoding/json"
	"fmt"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/consult"
)

// Stored hints are read as far as possible: an unreadable part is named, and does not matter if no plugin has an opinion.
func TestDecodeHints(t *testing.T) {
	for name, test := range map[string]struct {
		stored *v1.SchedulerHints
		want   string
	}{
		"none":                 {nil, "follows false, warns [], 0 layers"},
		"no opinion":           {&v1.SchedulerHints{Answer: []byte(`{"warnings":["p: w"],"followTasks":true}`)}, "follows false, warns [p: w], 0 layers"},
		"no opinion, no text":  {&v1.SchedulerHints{}, "follows false, warns [], 0 layers"},
		"an answer":            {hintsOf(`{"followTasks":true,"warnings":["w"],"patches":[{}]}`, ""), "follows true, warns [p: w], 2 layers: 1 0"},
		"of a newer plugin":    {hintsOf(`{"followTasks":true,"newer":1}`, ""), "follows true, warns [], 2 layers: 0 0"},
		"an admission":         {hintsOf(`{"patches":[{}]}`, `{"yes":true,"patches":[{},{}]}`), "follows false, warns [], 2 layers: 1 2"},
		"edited":               {hintsOf(`{`, ""), "schedulerHints.answer: "},
		"the admission edited": {hintsOf(`{"followTasks":true}`, `{`), "follows true, warns [], schedulerHints.admission: "},
	} {
		if got := outlineOf(test.stored); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

func hintsOf(answer, admission string) *v1.SchedulerHints {
	return &v1.SchedulerHints{Plugin: "p", Answer: json.RawMessage(answer), Admission: json.RawMessage(admission)}
}

func outlineOf(stored *v1.SchedulerHints) string {
	decoded, err := consult.DecodeHints(stored)
	if err != nil {
		return untilColon(err)
	}
	out := fmt.Sprintf("follows %t, warns %v, ", decoded.Answer.GetFollowTasks(), decoded.Warnings)
	layers, err := decoded.Patches()
	if err != nil {
		return out + untilColon(err)
	}
	out += fmt.Sprintf("%d layers", len(layers))
	for i, layer := range layers {
		if i == 0 {
			out += ":"
		}
		out += fmt.Sprint(" ", len(layer))
	}
	return out
}

// untilColon returns the part of an error that names the field; the rest is the library's.
func untilColon(err error) string {
	text := err.Error()
	for i := range text {
		if text[i] == ':' {
			return text[:i] + ": "
		}
	}
	return text
}
