package promises

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readsSentences are the functions that may look into sentences, as "file function", each with the reason.
var readsSentences = map[string]string{
	// Texts of others, who give no code with them.
	"pkg/completion/creation.go mayPass":              "the API server says in its text alone that a quota is exceeded",
	"pkg/completion/creation.go isUnreadable":         "the API server says in its text alone that it could not read the Pod",
	"pkg/config/explain.go explain":                   "yaml.v3 begins each error with its name",
	"pkg/config/document.go syntaxError":              "yaml.v3 begins each error with its name",
	"pkg/controller/companion_requests.go pointingTo": "the API server forbids by a missing permission in other words than by a quota, with the same code",
	"pkg/controller/persist.go tooLarge":              "the API server passes on the text of its storage, without a code of its own",
	"pkg/pluginhost/callfault.go callFault":           "gRPC has one code for several failures",
	"pkg/plugin/plugintest/options.go testDescribe":   "the author of a plugin says what its error has to mention",
	"plugins/hints-kueue/kueue/waiting.go unready":    "cuts what is being written, as a message may be empty",
	// Texts that are a contract.
	"pkg/completion/diagnostics.go split":                       "the prefixes of diagnostics are a contract with clients, 4.5",
	"plugins/classifier-podpattern/podpattern/judge.go matched": "the same, and a plugin has no fields but those of its contract",
}

// A fact is a field, and a sentence is made from facts for people. So no code searches, splits or matches a sentence: a message of a
// condition, an event or a trigger, diagnostics, or an error. This test follows such a field, a parameter or variable of that name, and a
// variable that has got its value from one, within a function.
func TestSentencesAreNotReadBack(t *testing.T) {
	found := map[string]bool{}
	for _, dir := range []string{"pkg", "cmd", "plugins"} {
		err := filepath.WalkDir(filepath.Join("../..", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for where, at := range sentenceReaders(file) {
				where = strings.TrimPrefix(filepath.ToSlash(path), "../../") + " " + where
				if found[where] = true; readsSentences[where] == "" {
					t.Errorf("%s: %s looks into a sentence: let a field have the fact", fset.Position(at), where)
				}
			}
			return nil
		})
		require.NoError(t, err)
	}
	for where := range readsSentences {
		if !found[where] {
			t.Errorf("%s may look into sentences, and does not", where)
		}
	}
}

// sentenceReaders returns the functions of a file that look into sentences, with the first place where they do.
func sentenceReaders(file *ast.File) map[string]token.Pos {
	found := map[string]token.Pos{}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		names := sentencesIn(f)
		ast.Inspect(f.Body, func(node ast.Node) bool {
			if call, ok := node.(*ast.CallExpr); ok && looksInto(call) && slices.ContainsFunc(call.Args, func(arg ast.Expr) bool { return isSentence(arg, names) }) {
				if _, before := found[f.Name.Name]; !before {
					found[f.Name.Name] = call.Pos()
				}
			}
			return true
		})
	}
	return found
}

var (
	sentenceField = regexp.MustCompile(`^(Message|Diagnostics|Sentences)$`)
	sentenceName  = regexp.MustCompile(`^(message|diagnostics|sentence)$`)
	stringsLooks  = regexp.MustCompile(`^(HasPrefix|HasSuffix|Contains\w*|Cut\w*|Trim(Prefix|Suffix|Left\w*|Right\w*|Func)|(Last)?Index\w*|(Equal)?Fold|Split\w*|Fields\w*|Replace\w*|Count)$`)
	regexpLooks   = regexp.MustCompile(`^(Find(All)?(String)?(Submatch)?(Index)?|Match(String)?|ReplaceAll\w*)$`)
)

// looksInto reports whether a function searches, splits or matches a text.
func looksInto(call *ast.CallExpr) bool {
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch of, _ := f.X.(*ast.Ident); {
	case of != nil && (of.Name == "strings" || of.Name == "bytes"):
		return stringsLooks.MatchString(f.Sel.Name)
	case of != nil && of.Name == "fmt":
		return strings.HasPrefix(f.Sel.Name, "Sscan")
	}
	return regexpLooks.MatchString(f.Sel.Name)
}

// sentencesIn are the names of the parameters and variables of a function that are sentences, or made from one.
func sentencesIn(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	for size := -1; size != len(names); { // until no new name is found, because variables are derived from others
		size = len(names)
		ast.Inspect(f, func(node ast.Node) bool {
			switch n := node.(type) {
			case *ast.Field:
				for _, name := range n.Names {
					if sentenceName.MatchString(name.Name) && fmt.Sprint(n.Type) == "string" {
						names[name.Name] = true
					}
				}
			case *ast.AssignStmt:
				for i, value := range n.Rhs {
					to := n.Lhs
					if len(n.Rhs) == len(n.Lhs) {
						to = n.Lhs[i : i+1]
					}
					if isText(value) && isSentence(value, names) {
						note(names, to)
					}
				}
			}
			return true
		})
	}
	return names
}

func note(names map[string]bool, to []ast.Expr) {
	for _, x := range to {
		if name, ok := x.(*ast.Ident); ok && name.Name != "_" && name.Name != "ok" && name.Name != "found" && name.Name != "err" {
			names[name.Name] = true
		}
	}
}

// isText reports whether an expression returns the content of the sentence in it: the sentence itself, or a part of it.
func isText(x ast.Expr) bool {
	switch n := x.(type) {
	case *ast.Ident, *ast.SelectorExpr:
		return true
	case *ast.BinaryExpr:
		return n.Op == token.ADD
	case *ast.CallExpr:
		f, ok := n.Fun.(*ast.SelectorExpr)
		return ok && (looksInto(n) || f.Sel.Name == "Error" && len(n.Args) == 0)
	}
	return false
}

// isSentence reports whether an expression has a sentence in it.
func isSentence(x ast.Expr, names map[string]bool) (is bool) {
	ast.Inspect(x, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.SelectorExpr:
			is = is || sentenceField.MatchString(n.Sel.Name)
			ident, isField := n.X.(*ast.Ident)
			return !isField || !names[ident.Name]
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Error" && len(n.Args) == 0 {
				is = true
			}
		case *ast.Ident:
			is = is || names[n.Name]
		}
		return true
	})
	return is
}

// The check finds all forms.
func TestReadersOfSentencesAreFound(t *testing.T) {
	const source = `package p
func field(e *event) bool { return strings.HasPrefix(e.Message, "attempt ") }
func parameter(message string) []string { return expression.FindStringSubmatch(message) }
func variable(c *condition) { text := c.Message; words := text; fmt.Sscanf(words, "attempt %d", &n) }
func part(c *condition) string { _, after, _ := strings.Cut(c.Message, ": "); return after }
func failure(err error) bool { return strings.Contains(err.Error(), "no such") }
func joined(t *telling) bool { return strings.Contains(strings.Join(t.answer.Sentences, " "), "x") }
func written(e *event) { e.Message = strings.TrimPrefix(name, "a-"); say(e.Message, len(e.Message)) }
func cut(e *event) string { return completion.Cut(e.Message, 400) }
func name(e *event) bool { return strings.HasPrefix(e.Name, "a-") }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	require.NoError(t, err)
	var names []string
	for name := range sentenceReaders(file) {
		names = append(names, name)
	}
	slices.Sort(names)
	require.Equal(t, []string{"failure", "field", "joined", "parameter", "part", "variable"}, names)
}
