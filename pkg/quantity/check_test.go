package quantity

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

func TestCheck(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "",
		"0":                              "",
		"100m":                           "",
		"1.5Gi":                          "",
		"5E":                             "",
		"5Ei":                            "",
		"1e30":                           "",
		"-1E-30":                         "",
		"1e+9":                           "",
		"no quantity":                    "",
		"more than eight":                "",
		strings.Repeat("9", MaxLength):   "",
		strings.Repeat("9", MaxLength+1): "65 characters; it must be at most 64",
		"1e31":                           "exponent of 31; it must be between -30 and 30",
		"1e-31":                          "exponent of -31",
		"1e-2000000000":                  "exponent of -2000000000",
		"1E+2000000000":                  "exponent of +2000000000",
		" 1e-2000000000 ":                "exponent of -2000000000",
		"1e99999999999999999999":         "exponent of 99999999999999999999",
	} {
		err := Check(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// FuzzCheck: accepted text is parsed to a number not much longer than the text, alone and in a sum.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"1", "100m", "1.5Gi", "1e3", "1e-30", "1E30", "-1e+30", "1e-31", "1e2000000000", "1e-2000000000", "1e4294967297", "1e4294967266", "Ee9",
		"1eE9", "0e-2000000000", "1_0e9", ".e-99", "1e-0000000000000000000000000099", strings.Repeat("9", 64), strings.Repeat("1", 50) + "." + strings.Repeat("1", 12),
	} {
		f.Add(seed)
	}
	const most = 2*MaxLength + 4*MaxExponent
	f.Fuzz(func(t *testing.T, text string) {
		if Check(text) != nil {
			return
		}
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return
		}
		sum := q.DeepCopy()
		sum.Add(resource.MustParse("1Ei"))
		sum.Add(resource.MustParse("1n"))
		for _, n := range []resource.Quantity{q, sum} {
			if len(n.String()) > most || len(n.AsDec().String()) > most {
				t.Errorf("%q became a number of %d digits", text, len(n.AsDec().String()))
			}
		}
	})
}
