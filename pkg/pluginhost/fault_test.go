package pluginhost

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLongFaultsAreCut(t *testing.T) {
	f := Config{Name: "p"}.fault(Failed, "%s", strings.Repeat("ä", 5000))
	if len(f.Message) != maxFaultMessage || !utf8.ValidString(f.Error()) {
		t.Errorf("%d bytes", len(f.Message))
	}
}
