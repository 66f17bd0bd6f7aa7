package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// Text returns the English of a Go file, each text on its line; empty if there is none, or if the file is generated.
func Text(path string, source []byte) (string, error) {
	p := page{fset: token.NewFileSet()}
	file, err := parser.ParseFile(p.fset, path, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return "", err
	}
	p.comment(file.Doc)
	for _, decl := range file.Decls {
		p.declaration(decl)
	}
	p.literals(file)
	return p.String(), nil
}

// page has the text of each line, from line 1 on.
type page struct {
	fset  *token.FileSet
	lines []string
}

func (p *page) String() string {
	if len(p.lines) == 0 {
		return ""
	}
	return strings.Join(p.lines[1:], "\n") + "\n"
}

func (p *page) put(line int, text string) {
	for len(p.lines) <= line {
		p.lines = append(p.lines, "")
	}
	if before := p.lines[line]; before != "" { // a row of a table, with several texts
		if !strings.HasSuffix(before, ".") {
			before += "."
		}
		text = before + " " + strings.TrimPrefix(text, "- ")
	}
	p.lines[line] = text
}

func (p *page) declaration(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv)) {
			p.comment(d.Doc)
		}
	case *ast.GenDecl:
		exported := false
		for _, spec := range d.Specs {
			exported = p.spec(spec) || exported
		}
		if exported {
			p.comment(d.Doc)
		}
	}
}

func exportedReceiver(receiver *ast.FieldList) bool {
	exported := false
	ast.Inspect(receiver.List[0].Type, func(n ast.Node) bool {
		if name, ok := n.(*ast.Ident); ok {
			exported = exported || name.IsExported()
		}
		return true
	})
	return exported
}

// spec takes the comments of a type, a constant or a variable, and returns whether it is exported.
func (p *page) spec(spec ast.Spec) bool {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if !anyExported(s.Names) {
			return false
		}
		p.comment(s.Doc)
		p.comment(s.Comment)
		return true
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return false
		}
		p.comment(s.Doc)
		p.comment(s.Comment)
		ast.Inspect(s.Type, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok && (len(field.Names) == 0 || anyExported(field.Names)) {
				p.comment(field.Doc)
				p.comment(field.Comment)
			}
			return true
		})
		return true
	}
	return false
}

func anyExported(names []*ast.Ident) bool {
	for _, name := range names {
		if name.IsExported() {
			return true
		}
	}
	return false
}

var directive = regexp.MustCompile(`^(//[a-z]+:|//\s*\+|//\s*TODO)`) // go:build, +kubebuilder, lint:ignore

// comment turns a comment into an item of a list, so that it does not continue the one before it. Indented text is code.
func (p *page) comment(group *ast.CommentGroup) {
	if group == nil {
		return
	}
	begin := "- "
	for _, c := range group.List {
		line := p.fset.Position(c.Pos()).Line
		if directive.MatchString(c.Text) {
			continue
		}
		if strings.HasPrefix(c.Text, "/*") {
			for i, text := range strings.Split(strings.TrimSuffix(strings.TrimPrefix(c.Text, "/*"), "*/"), "\n") {
				begin = p.commentLine(line+i, text, begin)
			}
			continue
		}
		begin = p.commentLine(line, strings.TrimPrefix(c.Text, "//"), begin)
	}
}

func (p *page) commentLine(line int, text, begin string) string {
	text = strings.TrimPrefix(text, " ")
	trimmed := strings.TrimSpace(text)
	code := strings.HasPrefix(text, "\t") || strings.HasPrefix(text, "  ") && !strings.HasPrefix(trimmed, "- ")
	if trimmed == "" || code {
		return begin
	}
	p.put(line, begin+trimmed)
	return "  "
}

// literals takes the strings that are sentences, and the sums of them.
func (p *page) literals(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field:
			return x.Tag == nil // a tag is a literal, too
		case *ast.BinaryExpr:
			if x.Op == token.ADD {
				if texts, ok := p.sum(x); ok {
					p.sentences(texts)
					return false
				}
			}
		case *ast.BasicLit:
			if x.Kind == token.STRING {
				p.sentences(p.value(x))
			}
		}
		return true
	})
}

// textLine is a line of a text, and the line of the source that it begins on.
type textLine struct {
	at   int
	text string
}

// sum returns the text of an addition with a literal in it; other operands become code.
func (p *page) sum(x ast.Expr) (texts []textLine, hasLiteral bool) {
	switch e := x.(type) {
	case *ast.BasicLit:
		return p.value(e), e.Kind == token.STRING
	case *ast.BinaryExpr:
		left, leftHas := p.sum(e.X)
		right, rightHas := p.sum(e.Y)
		left[len(left)-1].text += right[0].text
		return append(left, right[1:]...), leftHas || rightHas
	}
	return []textLine{{p.fset.Position(x.Pos()).Line, "`x`"}}, false
}

// value returns the lines of a literal, which has at least one.
func (p *page) value(literal *ast.BasicLit) []textLine {
	text, _ := strconv.Unquote(literal.Value) // none of a number
	line := p.fset.Position(literal.Pos()).Line
	var texts []textLine
	for part := range strings.SplitSeq(text, "\n") {
		texts = append(texts, textLine{line, part})
		if literal.Value[0] == '`' { // in quotation marks, a line break is written as \n
			line++
		}
	}
	return texts
}

var (
	verb    = regexp.MustCompile("`?%[-+#0-9.*\\[\\]]*[a-zA-Z]`?|\\{\\{.*?\\}\\}")
	command = regexp.MustCompile(`^kubectl [a-z]+ [^.]*(?:\{[a-z]+\}| --?[a-z])`) // with a name to fill in, or an option
	word    = regexp.MustCompile(`(?:^|\s)[A-Za-z][a-z'’]*[,.;:]?(?:\s|$)`)
)

func (p *page) sentences(texts []textLine) {
	for _, t := range texts {
		if strings.HasPrefix(t.text, "  ") || strings.HasPrefix(t.text, "\t") || command.MatchString(t.text) || !isSentence(t.text) {
			continue
		}
		p.put(t.at, "- "+strings.TrimSpace(verb.ReplaceAllString(t.text, "`x`")))
	}
}

// isSentence reports whether a text has four words of prose.
func isSentence(text string) bool {
	n := 0
	for _, w := range strings.Fields(text) {
		if word.MatchString(w) {
			n++
		}
	}
	return n >= 4 && n*2 >= len(strings.Fields(text))
}
