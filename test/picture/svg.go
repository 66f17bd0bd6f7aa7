package picture

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Sizes in pixels, of a font that browsers have.
const (
	charWidth  = 8
	rowHeight  = 17
	margin     = 14
	fontSize   = 13
	background = "#15191f"
	foreground = "#d7dce2"
)

// colours are the colours of SGR codes, on a dark background.
var colours = map[string]string{
	"1": `font-weight="bold" fill="#ffffff"`, "2": `fill="#8a95a3"`,
	"31": `fill="#ff7b72"`, "32": `fill="#7ee787"`, "33": `fill="#f2cc60"`, "36": `fill="#79c0ff"`,
}

var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

// Render returns a picture of lines on a terminal with that number of columns, with a title. Longer lines continue in the next row. Escape
// codes for colours are rendered; others are left out.
func Render(title, text string, columns int) string {
	var rows strings.Builder
	y := margin
	for line := range strings.SplitSeq(strings.TrimRight(clean(text), "\n"), "\n") {
		rows.WriteString("<text>")
		for _, row := range wrapped(line, columns) {
			y += rowHeight
			fmt.Fprintf(&rows, `<tspan x="%d" y="%d">%s</tspan>`, margin, y, row)
		}
		rows.WriteString("</text>\n")
	}
	width, height := 2*margin+columns*charWidth, y+margin+4
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">
<title>%s</title>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
<g font-family="ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="%d" fill="%s" xml:space="preserve" style="white-space: pre">
%s</g>
</svg>
`, width, height, width, height, escaped(title), background, fontSize, foreground, rows.String())
}

var otherCodes = regexp.MustCompile(`\x1b\[[?0-9;]*[A-Zac-ln-z]|\r`)

func clean(text string) string { return otherCodes.ReplaceAllString(text, "") }

// wrapped cuts a line into rows, each in its colours.
func wrapped(line string, columns int) (rows []string) {
	var row strings.Builder
	used, colour := 0, ""
	write := func(text string) {
		for text != "" {
			n := min(columns-used, utf8.RuneCountInString(text))
			part := string([]rune(text)[:n])
			text = strings.TrimPrefix(text, part)
			row.WriteString(coloured(part, colour))
			if used += n; used == columns && text != "" {
				rows = append(rows, row.String())
				row.Reset()
				used = 0
			}
		}
	}
	from := 0
	for _, at := range sgr.FindAllStringSubmatchIndex(line, -1) {
		write(line[from:at[0]])
		colour, from = line[at[2]:at[3]], at[1]
	}
	write(line[from:])
	return append(rows, row.String())
}

func coloured(text, colour string) string {
	if how := colours[colour]; how != "" && text != "" {
		return fmt.Sprintf("<tspan %s>%s</tspan>", how, escaped(text))
	}
	return escaped(text)
}

func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

// Text returns the text of a picture, without colours, and an error if it is not well-formed.
func Text(svg string) (string, error) {
	var text strings.Builder
	decoder, in := xml.NewDecoder(strings.NewReader(svg)), 0
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == "text" || in > 0 {
				in++
			}
		case xml.EndElement:
			if in == 1 {
				text.WriteString("\n")
			}
			in = max(in-1, 0)
		case xml.CharData:
			if in > 0 {
				text.Write(t)
			}
		}
	}
}

// Plain returns terminal output without escape codes.
func Plain(text string) string { return sgr.ReplaceAllString(clean(text), "") }
