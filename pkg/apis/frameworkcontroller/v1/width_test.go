package v1

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// wide are the integers of 64 bits on the wire. Clients in other languages know all others as 32 bits.
var wide = []string{
	"FrameworkStatus.observedGeneration",
	"RetryPolicyStatus.retryDelaySec",
	"TaskRoleStatus.podGracefulDeletionTimeoutSec",
	"TaskSpec.podGracefulDeletionTimeoutSec",
}

// No integer of the API is widened, or narrowed.
func TestIntegersKeepTheirWidth(t *testing.T) {
	found := map[string]bool{}
	collectWide(reflect.TypeFor[FrameworkSpec](), found, map[reflect.Type]bool{})
	collectWide(reflect.TypeFor[FrameworkStatus](), found, map[reflect.Type]bool{})
	for _, field := range wide {
		if !found[field] {
			t.Errorf("%s has not 64 bits any more", field)
		}
	}
	for field := range found {
		if !slices.Contains(wide, field) {
			t.Errorf("%s has 64 bits", field)
		}
	}
}

// collectWide notes the fields of 64 bits in our own types that a type leads to.
func collectWide(of reflect.Type, found map[string]bool, seen map[reflect.Type]bool) {
	for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || of.PkgPath() != reflect.TypeFor[FrameworkSpec]().PkgPath() || seen[of] {
		return
	}
	seen[of] = true
	for i := range of.NumField() {
		field := of.Field(i)
		kind := field.Type
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		switch kind.Kind() {
		case reflect.Int, reflect.Uint, reflect.Int64, reflect.Uint64:
			found[fmt.Sprintf("%s.%s", of.Name(), jsonName(field))] = true
		default:
			collectWide(field.Type, found, seen)
		}
	}
}

func jsonName(field reflect.StructField) string {
	tag := field.Tag.Get("json")
	for i, c := range tag {
		if c == ',' {
			return tag[:i]
		}
	}
	return tag
}
