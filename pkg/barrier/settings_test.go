package barrier

import (
	"strings"
	"testing"
	"time"
)

func environment(pairs map[string]string) func(string) string {
	all := map[string]string{"FC_FRAMEWORK_NAMESPACE": "default", "FC_FRAMEWORK_NAME": "train"}
	for name, value := range pairs {
		all[name] = value
	}
	return func(name string) string { return all[name] }
}

func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		set       map[string]string
		wantFault []string // substrings of the error; nil for none
		interval  time.Duration
		timeout   time.Duration
	}{
		"defaults":             {nil, nil, 10 * time.Second, 600 * time.Second},
		"least":                {map[string]string{intervalVariable: "5", timeoutVariable: "60"}, nil, 5 * time.Second, time.Minute},
		"most":                 {map[string]string{intervalVariable: "100000", timeoutVariable: "1200"}, nil, 100000 * time.Second, 20 * time.Minute},
		"no name":              {map[string]string{"FC_FRAMEWORK_NAME": ""}, []string{"FC_FRAMEWORK_NAME"}, 0, 0},
		"no namespace":         {map[string]string{"FC_FRAMEWORK_NAMESPACE": ""}, []string{"FC_FRAMEWORK_NAMESPACE"}, 0, 0},
		"interval too short":   {map[string]string{intervalVariable: "4"}, []string{intervalVariable, `"4"`, "5 or more"}, 0, 0},
		"interval no number":   {map[string]string{intervalVariable: "10s"}, []string{intervalVariable, `"10s"`}, 0, 0},
		"interval not whole":   {map[string]string{intervalVariable: "7.5"}, []string{intervalVariable}, 0, 0},
		"interval much longer": {map[string]string{intervalVariable: "99999999999999999999"}, []string{intervalVariable}, 0, 0},
		"timeout too short":    {map[string]string{timeoutVariable: "59"}, []string{timeoutVariable, "from 60 to 1200"}, 0, 0},
		"timeout too long":     {map[string]string{timeoutVariable: "1201"}, []string{timeoutVariable, "from 60 to 1200"}, 0, 0},
		"timeout below zero":   {map[string]string{timeoutVariable: "-60"}, []string{timeoutVariable}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, err := readSettings(environment(c.set))
			if (err != nil) != (c.wantFault != nil) {
				t.Fatalf("got %v", err)
			}
			for _, part := range c.wantFault {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if err == nil && (s.Interval != c.interval || s.Timeout != c.timeout || s.Name != "train" || s.Namespace != "default") {
				t.Errorf("got %+v", s)
			}
		})
	}
}
