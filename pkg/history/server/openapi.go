package server

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/version"
)

type object = map[string]any

// openapi answers with the document that describes the API. Everybody may read it.
func (s *Server) openapi(*http.Request, values) (any, error) { return document(s.routes()), nil }

// document describes the routes and their types.
func document(routes []route) object {
	schemas := object{}
	refused := reference(schemas, reflect.TypeFor[historyapi.Error]())
	paths := object{}
	for _, r := range routes {
		ok := object{"description": "OK"}
		if r.example != nil {
			kind := "application/json"
			if r.stream != nil {
				kind = "text/event-stream"
			}
			ok["content"] = object{kind: object{"schema": reference(schemas, reflect.TypeOf(r.example))}}
		}
		if r.text != nil {
			ok["content"] = object{"text/plain": object{"schema": object{"type": "string"}}}
		}
		operation := object{"summary": r.summary, "parameters": parameters(r), "responses": object{
			"200":     ok,
			"default": object{"description": "refused", "content": object{"application/json": object{"schema": refused}}},
		}}
		if r.raw != nil {
			operation["requestBody"] = object{"required": true, "content": object{protobuf: object{
				"schema": object{"type": "string", "format": "binary"}}}}
		}
		paths[r.path] = object{strings.ToLower(r.method): operation}
	}
	return object{
		"openapi":    "3.0.3",
		"info":       object{"title": "FrameworkController history", "version": version.Number()},
		"paths":      paths,
		"components": object{"schemas": schemas, "securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
		"security":   []object{{"bearer": []string{}}},
	}
}

func parameters(r route) []object {
	all := []object{}
	for part := range strings.SplitSeq(r.path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			all = append(all, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range r.params {
		schema := object{"type": string(p.kind)}
		if p.kind == instant {
			schema = object{"type": "string", "format": string(instant)}
		}
		all = append(all, object{"name": p.name, "in": "query", "description": p.help, "schema": schema})
	}
	return all
}

// reference describes a type, and its fields among the schemas if it has any.
func reference(schemas object, t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[json.RawMessage]():
		return object{"type": "object"}
	case t.Kind() == reflect.Pointer:
		return reference(schemas, t.Elem())
	case t.Kind() == reflect.Slice:
		return object{"type": "array", "items": reference(schemas, t.Elem())}
	case t.Kind() == reflect.Map:
		return object{"type": "object", "additionalProperties": reference(schemas, t.Elem())}
	case t.Kind() == reflect.Struct:
		name := schemaName(t)
		if schemas[name] == nil {
			schemas[name] = object{} // so that a type may refer to itself
			schemas[name] = fields(schemas, t)
		}
		return object{"$ref": "#/components/schemas/" + name}
	}
	return scalar(t.Kind())
}

func scalar(k reflect.Kind) object {
	switch k {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Int32:
		return object{"type": "integer", "format": "int32"}
	case reflect.Int, reflect.Int64:
		return object{"type": "integer", "format": "int64"}
	}
	return object{"type": "string"}
}

func fields(schemas object, t reflect.Type) object {
	properties, required := object{}, []string{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		properties[name] = reference(schemas, f.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	return object{"type": "object", "properties": properties, "required": required}
}

// schemaName is FrameworkPage for Page[Framework].
func schemaName(t reflect.Type) string {
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	return strings.TrimSuffix(of[strings.LastIndex(of, ".")+1:], "]") + name
}
