package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

func TestSchedulerNamed(t *testing.T) {
	for name, test := range map[string]struct {
		args  []string
		want  scheduler
		wrong bool
	}{
		"nothing said":    {nil, plain, false},
		"empty from make": {[]string{""}, plain, false},
		"gangs":           {[]string{"gang"}, gangs, false},
		"another":         {[]string{"volcano"}, plain, true},
	} {
		if got, err := schedulerNamed(test.args); got != test.want || (err != nil) != test.wrong {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// The shipped configuration has a list of plugins to add to, and keeps its own.
func TestConfigure(t *testing.T) {
	shipped, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	require.NoError(t, err)
	got, err := gangs.configure(string(shipped))
	if err != nil || !strings.Contains(got, gangPlugin+"\n- name: podpattern") {
		t.Errorf("%v in\n%s", err, got)
	}
	if got, err := plain.configure(string(shipped)); err != nil || got != string(shipped) {
		t.Errorf("it is changed: %v", err)
	}
	if _, err := gangs.configure("a: b\n"); err == nil {
		t.Error("a configuration without a list is taken")
	}
}

func TestRemember(t *testing.T) {
	c := &cluster.Cluster{Dir: t.TempDir()}
	if got, err := schedulerOf(c); got != plain || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	require.NoError(t, gangs.remember(c))
	if got, err := schedulerOf(c); got != gangs || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}
