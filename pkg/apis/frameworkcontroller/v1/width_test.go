package v1

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// wide lists the 64-bit integers on the wire. Clients in other languages read all others as 32 bits.
var wide = []string{
	"ActiveTimeStatus.seconds",
	"FrameworkSpec.activeDeadlineSeconds",
	"FrameworkStatus.observedGeneration",
	"RetryPolicyStatus.retryDelaySec",
	"TaskLogsSpec.headBytes",
	"TaskLogsSpec.tailBytes",
	"TaskRoleStatus.podGracefulDeletionTimeoutSec",
	"TaskSpec.activeDeadlineSeconds",
	"TaskSpec.podGracefulDeletionTimeoutSec",
}

// No integer of the API becomes wider or narrower.
func TestIntegersKeepTheirWidth(t *testing.T) {
	found := map[string]bool{}
	collectWide(reflect.TypeFor[FrameworkSpec](), found, map[reflect.Type]bool{})
	collectWide(reflect.TypeFor[FrameworkStatus](), found, map[reflect.Type]bool{})
	for _, field := range wide {
		if !found[field] {
			t.Errorf("%s is no longer 64 bits wide", field)
		}
	}
	for field := range found {
		if !slices.Contains(wide, field) {
			t.Errorf("%s has 64 bits", field)
		}
	}
}

// collectWide records the 64-bit fields of our own types that are reachable from a type.
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
