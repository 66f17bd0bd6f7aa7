package controller

import (
	"strings"
	"testing"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Specs that our CRD does not let in may be stored nevertheless, from the time of another CRD.
func TestSpecsThatMakeNoSense(t *testing.T) {
	for _, test := range []struct{ spec, says string }{
		{`{}`, ""},
		{`{"executionType": "", "taskRoles": [{"name": "a"}, {"name": "a"}]}`, ""},
		{`{"executionType": "Stop", "taskRoles": [{"name": "a1", "taskNumber": 0}]}`, ""},
		{`[]`, "spec does not decode: "},
		{`{"executionType": "Strat"}`, `executionType is "Strat"; it must be Create, Start or Stop`},
		{`{"taskRoles": [{"name": "a"}, {"taskNumber": 1}]}`, "taskRoles[1].name is missing"},
		{`{"taskRoles": [{"name": "a-b"}]}`, `taskRoles[0].name is "a-b"`},
		{`{"taskRoles": [{"name": "a", "taskNumber": -1}]}`, "taskRoles[0].taskNumber is -1"},
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

func TestSpecsThatAreTooLarge(t *testing.T) {
	for last, fits := range map[int32]bool{0: true, 1: false, v1.MaxTasks: false} {
		spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{TaskNumber: v1.MaxTasks}, {TaskNumber: last}}}
		if err := checkSize(spec); (err == nil) != fits {
			t.Errorf("%d Tasks: %v", v1.MaxTasks+last, err)
		}
	}
}
