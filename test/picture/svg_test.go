package picture

import (
	"strings"
	"testing"
)

// The text of a picture equals the terminal's, for any colours and wrapping.
func TestTextOfARenderedPicture(t *testing.T) {
	for name, c := range map[string]struct{ shown, want string }{
		"plain":          {"one\n\ntwo\n", "one\n\ntwo\n"},
		"colours":        {"\x1b[31mred\x1b[0m and \x1b[1mbold\x1b[0m\n", "red and bold\n"},
		"markup":         {"<a> & \"b\" \u2514\u2500\n", "<a> & \"b\" \u2514\u2500\n"},
		"carriages":      {"one\r\ntwo\r\n", "one\ntwo\n"},
		"other codes":    {"\x1b[?25l\x1b[Hone\x1b[K\n", "one\n"},
		"long":           {strings.Repeat("0123456789", 5) + "\nnext\n", strings.Repeat("0123456789", 5) + "\nnext\n"},
		"long in colour": {"\x1b[32m" + strings.Repeat("0123456789", 5) + "\x1b[0m\n", strings.Repeat("0123456789", 5) + "\n"},
		"unknown colour": {"\x1b[95mx\x1b[0m\n", "x\n"},
		"indented":       {"    x\n", "    x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Text(Render("a & b", c.shown, 20))
			if err != nil || got != c.want {
				t.Errorf("%v, got %q, want %q", err, got, c.want)
			}
			if plain := Plain(c.shown); strings.TrimRight(plain, "\n") != strings.TrimRight(c.want, "\n") {
				t.Errorf("plain is %q", plain)
			}
		})
	}
}

// A row is as wide as the terminal, and its colours continue in the next one.
func TestRows(t *testing.T) {
	got := wrapped("ab\x1b[31mcdefg\x1b[0mh", 3)
	want := []string{`ab<tspan fill="#ff7b72">c</tspan>`, `<tspan fill="#ff7b72">def</tspan>`, `<tspan fill="#ff7b72">g</tspan>h`}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q", got)
	}
	if got := wrapped("abc", 3); len(got) != 1 {
		t.Errorf("got %q", got)
	}
}

func TestTextOfWhatIsNoPicture(t *testing.T) {
	for _, text := range []string{"<svg>", "<svg></b>", "<svg><text>a & b</text></svg>"} {
		if got, err := Text(text); err == nil {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}
