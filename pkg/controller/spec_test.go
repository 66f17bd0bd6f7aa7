package controller

import (
	"strings"
	"testing"
)

// Specs that our CRD does not let in may be stored nevertheless, from the time of another CRD.
func TestSpecsThatMakeNoSense(t *testing.T) {
	for _, test := range []struct{ spec, says string }{
		{`{}`, ""},
		{`{"executionType": "", "taskRoles": [{"name": "a"}, {"name": "a"}]}`, ""},
		{`{"executionType": "Stop", "taskRoles": [{"name": "a1", "taskNumber": 0}]}`, ""},
		{`[]`, "spec does not decode: "},
		{`{"executionType": "Strat"}`, `executionType is "Strat"; it has to be Create, Start or Stop`},
		{`{"taskRoles": [{"name": "a"}, {"taskNumber": 1}]}`, "taskRoles[1].name is missing"},
		{`{"taskRoles": [{"name": "a-b"}]}`, `taskRoles[0].name is "a-b"`},
		{`{"taskRoles": [{"name": "a", "taskNumber": -1}]}`, "taskRoles[0].taskNumber is -1"},
		{`{"taskRoles": [{"name": "a", "taskNumber": 20000}]}`, ""},
		{`{"taskRoles": [{"name": "a", "taskNumber": 20000}, {"name": "b", "taskNumber": 1}]}`, "taskRoles have 20001 Tasks together; at most 20000"},
	} {
		spec, err := decodeSpec([]byte(test.spec))
		switch {
		case test.says == "" && (err != nil || spec == nil):
			t.Errorf("%s: got %v, %v", test.spec, spec, err)
		case test.says != "" && (err == nil || !strings.Contains(err.Error(), test.says)):
			t.Errorf("%s: got %v, want %q", test.spec, err, test.says)
		}
	}
}
