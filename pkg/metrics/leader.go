package metrics

import "github.com/prometheus/client_golang/prometheus"

// FollowLeader adds whether this process may write. It may be called once.
func (s *Set) FollowLeader(leads func() bool) {
	registered(s.registry, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: namespace, Name: "leader", Help: "1 if this controller leads or runs without leader election, 0 while it stands by.",
	}, func() float64 {
		if leads() {
			return 1
		}
		return 0
	}))
}
