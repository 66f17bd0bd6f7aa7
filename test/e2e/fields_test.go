package e2e

// fieldsOf are the fields of any object. A missing field, or one of the wrong type, reads as empty: statuses may have been edited.
type fieldsOf map[string]any

func (f fieldsOf) at(name string) fieldsOf {
	value, _ := f[name].(map[string]any)
	return value
}

func (f fieldsOf) list(name string) []fieldsOf {
	var out []fieldsOf
	items, _ := f[name].([]any)
	for _, item := range items {
		fields, _ := item.(map[string]any)
		out = append(out, fields)
	}
	return out
}

func (f fieldsOf) text(name string) string {
	value, _ := f[name].(string)
	return value
}

func (f fieldsOf) number(name string) int64 {
	value, _ := f[name].(int64)
	return value
}
