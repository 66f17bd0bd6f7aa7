package kubectl

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// C1 controls are controls as C0 are, and controls of the text direction make one text look like another.
func TestOnOneLine(t *testing.T) {
	for name, text := range map[string]string{
		"ESC": "\x1b]0;title\a", "CSI": "\u009b2J", "OSC": "\u009d0;title\u009c", "DCS": "\u0090q", "APC": "\u009fx", "DEL": "\x7f",
		"NEL": "a\u0085Done: all is well", "line separator": "a\u2028b", "paragraph separator": "a\u2029b",
		"override": "\u202egnp.exe", "isolate": "\u2066x\u2069", "mark": "\u200f", "Arabic mark": "\u061c", "no UTF-8": "\x9b2J",
	} {
		got := onOneLine(text)
		if got == text {
			t.Errorf("%s is left as it is: %q", name, got)
		}
		requirePlain(t, got, "")
	}
	for _, text := range []string{"Zürich, 東京, עברית, العربية", "👩🏽‍🚀 fine"} {
		if got := onOneLine(text); got != text {
			t.Errorf("%q is changed to %q", text, got)
		}
	}
}

// Control characters are removed from any text, except ends of lines and tabs, and in logs also colors.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"", "a\tb\n", "\x1b[31mred\x1b[0m\r\n", "\x1b[2J\u009b1;1H", "\u202e\u2028\x9b", "\x1b[\x1b[31mm", "\x1b\x1b[0m[2J"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		requirePlain(t, onOneLine(string(text)), "")
		var out bytes.Buffer
		n, err := plainWriter{&out}.Write(text)
		if n != len(text) || err != nil {
			t.Errorf("%d of %d bytes: %v", n, len(text), err)
		}
		requirePlain(t, out.String(), "\n\t")
		line := colored(string(text))
		body, ended := strings.CutSuffix(line, "\n")
		if !ended {
			t.Errorf("%q does not end", line)
		}
		if strings.Contains(body, "\x1b") && !strings.HasSuffix(body, resetGraphics) {
			t.Errorf("%q leaves its colors behind", body)
		}
		requirePlain(t, graphics.ReplaceAllString(body, ""), "\t")
	})
}

func requirePlain(t *testing.T, text, but string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Errorf("%q is no UTF-8", text)
	}
	for _, r := range text {
		if (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == 0x2028 || r == 0x2029) && !strings.ContainsRune(but, r) {
			t.Errorf("%q has %U", text, r)
		}
	}
}
