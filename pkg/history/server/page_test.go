package server

import (
	goflag "flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/page"
)

var rewrite = goflag.Bool("rewrite", false, "regenerate the paths and types in docs/reference/history-server.md")

// The manual has all paths with their parameters, and all types with their fields.
func TestManualHasPathsAndTypes(t *testing.T) {
	const path = "../../../docs/reference/history-server.md"
	text := page.Generated(t, page.Read(t, path), "paths", pathsTable((&Server{}).routes()))
	page.Keep(t, path, page.Generated(t, text, "types", typesTables(t)), *rewrite)
}

func pathsTable(routes []route) string {
	var b strings.Builder
	b.WriteString("| Path | Answer | Parameters |\n|---|---|---|\n")
	used := map[string]param{}
	var order []string
	for _, r := range routes {
		var names []string
		for _, p := range r.params {
			names = append(names, "`"+p.name+"`")
			before, known := used[p.name]
			switch {
			case !known:
				order = append(order, p.name)
			case !strings.Contains(before.help, p.help):
				p.help = before.help + "; or " + p.help
			default:
				p = before
			}
			used[p.name] = p
		}
		fmt.Fprintf(&b, "| `%s %s` | %s | %s |\n", r.method, r.path, r.summary, strings.Join(names, ", "))
	}
	b.WriteString("| `GET /`, `GET /static/…` | The [page](../tasks/open-the-page.md), which reads this API; it has no data, and needs no identity |  |\n")
	b.WriteString("| `GET /healthz`, `GET /readyz` | Probes: the process runs, and the database can be read |  |\n")
	b.WriteString("\n| Parameter | Kind | Meaning |\n|---|---|---|\n")
	for _, name := range order {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", name, used[name].kind, used[name].help)
	}
	return b.String()
}

// apiType is a struct of package historyapi.
type apiType struct {
	name, comment string
	fields        []apiField
	// values of a type that is a text.
	values []apiField
}

type apiField struct {
	json, kind, comment string
	always              bool
}

func typesTables(t *testing.T) string {
	var b strings.Builder
	for _, a := range typesOfAPI(t) {
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", a.name, a.comment)
		if len(a.values) > 0 {
			b.WriteString("| Value | Meaning |\n|---|---|\n")
			for _, v := range a.values {
				fmt.Fprintf(&b, "| `%s` | %s |\n", v.json, v.comment)
			}
			b.WriteString("\n")
			continue
		}
		b.WriteString("| Field | Type | Meaning |\n|---|---|---|\n")
		for _, f := range a.fields {
			kind := f.kind
			if f.always {
				kind += ", always"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", f.json, kind, f.comment)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// typesOfAPI returns the types in the order of their declarations. A Page has items of any of them.
func typesOfAPI(t *testing.T) (types []apiType) {
	t.Helper()
	files, err := filepath.Glob("../historyapi/*.go") // in order
	require.NoError(t, err)
	values := map[string][]apiField{} // by type
	for _, path := range files {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, d := range file.Decls {
			general, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range general.Specs {
				switch declared := s.(type) {
				case *ast.TypeSpec:
					a := apiType{name: declared.Name.Name, comment: words(general.Doc)}
					if fields, ok := declared.Type.(*ast.StructType); ok {
						a.fields = fieldsOf(fields)
					}
					types = append(types, a)
				case *ast.ValueSpec:
					if of, ok := declared.Type.(*ast.Ident); ok {
						_, meaning, _ := strings.Cut(words(declared.Doc), ": ")
						value := strings.Trim(declared.Values[0].(*ast.BasicLit).Value, `"`)
						values[of.Name] = append(values[of.Name], apiField{json: value, comment: meaning})
					}
				}
			}
		}
	}
	for i, a := range types {
		types[i].values = values[a.name]
		require.NotEmpty(t, append(a.fields, types[i].values...), a.name)
	}
	require.NotEmpty(t, types)
	return types
}

func fieldsOf(s *ast.StructType) (fields []apiField) {
	for _, f := range s.Fields.List {
		name, options, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		comment := words(f.Doc)
		if comment == "" {
			comment = words(f.Comment)
		}
		fields = append(fields, apiField{name, kindOf(f.Type), comment, !strings.Contains(options, "omitempty")})
	}
	return fields
}

var lineBreak = regexp.MustCompile(`\s+`)

// words is a comment on one line, as a cell of a table.
func words(c *ast.CommentGroup) string {
	return strings.ReplaceAll(strings.TrimSpace(lineBreak.ReplaceAllString(c.Text(), " ")), "|", "\\|")
}

// kindOf names a type in the terms of JSON.
func kindOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return kindOf(e.X)
	case *ast.ArrayType:
		return "list of " + kindOf(e.Elt)
	case *ast.MapType:
		return "map to " + kindOf(e.Value)
	case *ast.SelectorExpr:
		if e.Sel.Name == "RawMessage" {
			return "any"
		}
		return "time"
	case *ast.Ident:
		switch {
		case strings.HasPrefix(e.Name, "int"), strings.HasPrefix(e.Name, "float"):
			return "number"
		case e.Name == "bool":
			return "boolean"
		}
		return e.Name
	}
	return "any"
}
