package config

import (
	"reflect"
	"strings"
)

// ChangedKeys returns the outermost keys, other than plugins, that differ between two configurations, in the order of
// Config.
func ChangedKeys(a, b *Config) []string {
	var keys []string
	before, after := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range before.NumField() {
		key, _, _ := strings.Cut(before.Type().Field(i).Tag.Get("yaml"), ",")
		if key != "" && key != "plugins" && !reflect.DeepEqual(before.Field(i).Interface(), after.Field(i).Interface()) {
			keys = append(keys, key)
		}
	}
	return keys
}
