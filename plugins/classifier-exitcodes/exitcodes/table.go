package exitcodes

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
)

// table has the meanings of codes, single codes before ranges.
type table []entry

type entry struct {
	codeRange
	// Its key in the parameters, such as codes.64-78.
	key     string
	meaning meaning
}

// codeRange is inclusive.
type codeRange struct {
	min, max int32
}

func (r codeRange) contains(code int32) bool { return r.min <= code && code <= r.max }
func (r codeRange) single() bool             { return r.min == r.max }

func compileTable(key string, specs tableSpec) (table, error) {
	var t table
	for _, codes := range slices.Sorted(maps.Keys(specs)) {
		e := entry{key: key + "." + codes, meaning: specs[codes]}
		var err error
		if e.codeRange, err = parseRange(key, codes); err != nil {
			return nil, err
		}
		if err := e.meaning.check(e.key, e.codeRange); err != nil {
			return nil, err
		}
		t = append(t, e)
	}
	slices.SortStableFunc(t, compareEntries)
	return t, t.overlap()
}

func compareEntries(a, b entry) int {
	if a.single() != b.single() {
		if a.single() {
			return -1
		}
		return 1
	}
	return cmp.Compare(a.min, b.min)
}

// overlap refuses two entries whose precedence would be unclear.
func (t table) overlap() error {
	for i := 1; i < len(t); i++ {
		if before := t[i-1]; before.single() == t[i].single() && before.max >= t[i].min {
			return fmt.Errorf("%s: overlaps with %s", t[i].key, before.key)
		}
	}
	return nil
}

func (t table) find(code int32) (entry, bool) {
	i := slices.IndexFunc(t, func(e entry) bool { return e.contains(code) })
	if i < 0 {
		return entry{}, false
	}
	return t[i], true
}

var rangeForm = regexp.MustCompile(`^(-?\d+)(?:-(-?\d+))?$`)

// parseRange reads a code, such as "42", or a range, such as "64-78".
func parseRange(key, text string) (codeRange, error) {
	wrong := fmt.Errorf("%s: must be a code like 42, or a range like 64-78, but is %q", key, text)
	parts := rangeForm.FindStringSubmatch(text)
	if parts == nil {
		return codeRange{}, wrong
	}
	low, err := strconv.ParseInt(parts[1], 10, 32)
	if err != nil {
		return codeRange{}, wrong
	}
	high := low
	if parts[2] != "" {
		if high, err = strconv.ParseInt(parts[2], 10, 32); err != nil || high < low {
			return codeRange{}, wrong
		}
	}
	return codeRange{int32(low), int32(high)}, nil
}
