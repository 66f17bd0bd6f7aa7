package remote

import (
	"strings"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/plugintest"
)

func TestParameters(t *testing.T) {
	tests := []struct {
		parameters map[string]any
		want       string // empty if they are accepted
	}{
		{map[string]any{"url": "https://history.a.svc"}, ""},
		{map[string]any{"url": "https://history.a.svc:8443/base/", "cluster": "a.b_c-1", "caFile": "", "spoolDirectory": "/spool", "spoolBytes": 1 << 20, "timeout": "1m"}, ""},
		{map[string]any{"url": "http://127.0.0.1:8080"}, ""},
		{map[string]any{"url": "http://[::1]:8080"}, ""},
		{nil, "url: is missing"},
		{map[string]any{"url": "http://history.a.svc"}, "url: must begin with https://"},
		{map[string]any{"url": "https://"}, "url: must have a host"},
		{map[string]any{"url": "https://user:word@host"}, "url: must have a host, and no user"},
		{map[string]any{"url": "https://host/?a=b"}, "url: must have a host, and no user, query"},
		{map[string]any{"url": "https://host:port"}, "url: "},
		{map[string]any{"cluster": ""}, "cluster: must be"},
		{map[string]any{"cluster": "a\nb"}, "cluster: must be"},
		{map[string]any{"cluster": strings.Repeat("a", 64)}, "cluster: must be"},
		{map[string]any{"caFile": "ca.crt"}, "caFile: must be an absolute path"},
		{map[string]any{"tokenFile": ""}, "tokenFile: must be an absolute path"},
		{map[string]any{"spoolDirectory": "spool"}, "spoolDirectory: must be an absolute path"},
		{map[string]any{"spoolBytes": "1Ki"}, "spoolBytes: must be 1Mi to 1Ti, but is 1Ki"},
		{map[string]any{"spoolBytes": "much"}, "parameters"},
		{map[string]any{"timeout": "soon"}, `timeout: must be a duration from 100ms to 5m0s, such as 3s, but is "soon"`},
		{map[string]any{"timeout": "1h"}, "timeout: must be"},
		{map[string]any{"token": "x"}, "token"},
	}
	for _, test := range tests {
		if test.parameters["url"] == nil && test.parameters != nil {
			test.parameters["url"] = "https://host"
		}
		_, err := read(plugintest.Parameters(t, test.parameters))
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %v, want %q", test.parameters, err, test.want)
		}
	}
	s, err := read(plugintest.Parameters(t, map[string]any{"url": "https://host:1/base/"}))
	if err != nil || s.records != "https://host:1/base/api/v1/records" || s.SpoolBytes.Value() != 32<<20 {
		t.Errorf("%+v, %v", s, err)
	}
}
