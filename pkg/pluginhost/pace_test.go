package pluginhost

import (
	"testing"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

func TestPace(t *testing.T) {
	p := newPace()
	for range 10 {
		p.observe(p.most, time.Millisecond, time.Second)
	}
	if p.most != plugin.MaxBatch {
		t.Errorf("%d Pods for a plugin that is fast", p.most)
	}
	p.observe(1, time.Millisecond, time.Second) // shows nothing about larger calls
	p.observe(1, 2*time.Second, time.Second)    // nor does this
	p.observe(p.most, 300*time.Millisecond, time.Second)
	if p.most != plugin.MaxBatch {
		t.Errorf("%d Pods for a plugin that is fast enough", p.most)
	}
	for range maxCalls {
		p.observe(plugin.MaxBatch, 2*time.Second, time.Second)
	}
	if p.most != plugin.MaxBatch/4 {
		t.Errorf("%d Pods after calls that were slow at the same time", p.most)
	}
	for range 10 {
		p.observe(p.most, 2*time.Second, time.Second)
	}
	if p.most != 1 {
		t.Errorf("%d Pods for a plugin that is slow", p.most)
	}
	for range 3 {
		p.observe(p.most, 300*time.Millisecond, time.Second)
	}
	if p.most != 4 {
		t.Errorf("%d Pods for a plugin that takes its time for each call", p.most)
	}
}
