package waiting

import "testing"

// Changed numbers, quantities, times and ids are no news. A quota with another name, or a shortage of other resources, is.
func TestSameWords(t *testing.T) {
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"usage": {
			"exceeded quota: team, requested: cpu=1, used: cpu=97, limited: cpu=100",
			"exceeded quota: team, requested: cpu=1, used: cpu=98500m, limited: cpu=100", true,
		},
		"time": {"denied at 2026-11-23T13:50:07Z", "denied at 2026-11-23T13:50:12.5Z", true},
		"id":   {`denied (request "a3f0c8de-17")`, `denied (request "04bb1e6f-9c")`, true},
		"another quota": {
			"exceeded quota: team, requested: cpu=1, used: cpu=97, limited: cpu=100",
			"exceeded quota: guests, requested: cpu=1, used: cpu=97, limited: cpu=100", false,
		},
		"another quota with a number": {
			"exceeded quota: gpu-v100, requested: cpu=1, used: cpu=97, limited: cpu=100",
			"exceeded quota: gpu-a100, requested: cpu=1, used: cpu=97, limited: cpu=100", false,
		},
		"another team":     {"quota team1 is used up", "quota team2 is used up", false},
		"another resource": {"requested: cpu=1, used: cpu=97", "requested: memory=1Gi, used: memory=97Gi", false},
		"more resources":   {"requested: cpu=1, used: cpu=97", "requested: cpu=1,memory=1Gi, used: cpu=97,memory=9Gi", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := sameWords(test.a, test.b); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
