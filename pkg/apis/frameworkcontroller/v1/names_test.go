package v1

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct{ what, got, want string }{
		{"ConfigMap", ConfigMapName("demo"), "demo-attempt"},
		{"first Pod", PodName("demo", "worker", 0), "demo-worker-0"},
		{"last Pod", PodName("demo", "worker", 9999), "demo-worker-9999"},
		{"attempt", InstanceUID(3, "0e37effe"), "3_0e37effe"},
		{"CRD", CRDName, "frameworks.frameworkcontroller.microsoft.com"},
		{"resource", Resource(FrameworkPlural).String(), "frameworks.frameworkcontroller.microsoft.com"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.what, tt.got, tt.want)
		}
	}
}

func TestParsePodName(t *testing.T) {
	long := strings.Repeat("a", 63)
	tests := []struct {
		what, pod string
		role      string
		index     int32
		ok        bool
	}{
		{"ordinary", "demo-worker-12", "worker", 12, true},
		{"first", "demo-worker-0", "worker", 0, true},
		{"longest role", "demo-" + long + "-9999", long, 9999, true},
		{"role of digits", "demo-7-7", "7", 7, true},
		{"another Framework", "demo2-worker-1", "", 0, false},
		{"another Framework with the same prefix", "dem-worker-1", "", 0, false},
		{"no index", "demo-worker", "", 0, false},
		{"empty index", "demo-worker-", "", 0, false},
		{"empty role", "demo--1", "", 0, false},
		{"index with zeros in front", "demo-worker-01", "", 0, false},
		{"index with a sign", "demo-worker-+1", "", 0, false},
		{"negative index", "demo-worker--1", "", 0, false},
		{"index beyond 32 bits", "demo-worker-4294967296", "", 0, false},
		{"something after the index", "demo-worker-1-x", "", 0, false},
		{"the attempt's ConfigMap", "demo-attempt", "", 0, false},
		{"empty", "", "", 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			role, index, ok := ParsePodName("demo", tt.pod)
			if role != tt.role || index != tt.index || ok != tt.ok {
				t.Errorf("got %q, %d, %v, want %q, %d, %v", role, index, ok, tt.role, tt.index, tt.ok)
			}
			if ok && PodName("demo", role, index) != tt.pod {
				t.Errorf("PodName gives %q, want %q", PodName("demo", role, index), tt.pod)
			}
		})
	}
}
