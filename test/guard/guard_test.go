package guard

import (
	"maps"
	"testing"
)

// limits are the highest values seen, plus a margin that is smaller than the effect of a mistake (doc.go). Values that have varied are
// followed by the lowest and the highest value seen.
var limits = measures{
	"life of 1 x 200: bytes of status writes":          5_500_000, // 2,290,806 to 3,733,220; a write for each Task adds some 20,000,000
	"life of 1 x 200: create configmaps":               1,
	"life of 1 x 200: create events":                   3, // 0 to 1
	"life of 1 x 200: create pods":                     200,
	"life of 1 x 200: delete configmaps":               1,
	"life of 1 x 200: delete pods":                     200,
	"life of 1 x 200: get configmaps":                  3,   // 0 to 1
	"life of 1 x 200: get frameworks":                  3,   // 1
	"life of 1 x 200: get pods":                        120, // 1 to 53; one for each Pod adds 200
	"life of 1 x 200: patch customresourcedefinitions": 1,
	"life of 1 x 200: update frameworks/status":        45, // 17 to 27; one for each Task adds 200
	"life of 1 x 200: watch configmaps":                2,  // 1; a connection may break
	"life of 1 x 200: watch frameworks":                2,
	"life of 1 x 200: watch pods":                      2,

	"life of 20 x 10: bytes of status writes":          1_900_000, // 1,147,417 to 1,364,457; every write twice makes it twice as much
	"life of 20 x 10: create configmaps":               20,
	"life of 20 x 10: create events":                   35, // 14 to 20; one for each Framework adds 20
	"life of 20 x 10: create pods":                     200,
	"life of 20 x 10: delete configmaps":               20,
	"life of 20 x 10: delete pods":                     200,
	"life of 20 x 10: get configmaps":                  15,  // 0 to 4; one for each Framework adds 20
	"life of 20 x 10: get frameworks":                  30,  // 20; one for each Framework adds 20
	"life of 20 x 10: get pods":                        120, // 0 to 32; one for each Pod adds 200
	"life of 20 x 10: patch customresourcedefinitions": 1,
	"life of 20 x 10: update frameworks/status":        230, // 144 to 170; one for each Task adds 200, and every write twice 144
	"life of 20 x 10: watch configmaps":                2,
	"life of 20 x 10: watch frameworks":                2,
	"life of 20 x 10: watch pods":                      2,

	// An event has two rounds: its write waits for company. So one allocation for each Task and round adds 400, or 2,000.
	"event in 1 x 200: allocations":      1_000,     // 706 to 809
	"event in 1 x 200: allocated bytes":  580_000,   // 487,840 to 494,296
	"event in 1 x 1000: allocations":     1_200,     // 828 to 835
	"event in 1 x 1000: allocated bytes": 2_200_000, // 1,861,960 to 1,862,120

	"idle Framework: bytes of heap":        16_000, // 15,575 to 15,648; measured by what is freed with the controller
	"200 idle Frameworks: more goroutines": 100,    // 0 to 42, of connections; one for each Framework adds 200
}

// TestGuard: nothing costs more than its limit.
func TestGuard(t *testing.T) {
	found := measures{}
	for _, m := range []measures{
		life(t, mistake{}, 1, 200), life(t, mistake{}, 20, 10),
		event(t, mistake{}, 200), event(t, mistake{}, 1000),
		idle(t, mistake{}),
	} {
		maps.Copy(found, m)
	}
	t.Log("\n" + found.table(limits))
	if over := found.over(limits); len(over) > 0 {
		t.Errorf("above their limits are %q", over)
	}
}
