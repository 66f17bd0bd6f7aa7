package quantity

import (
	"fmt"
	"strconv"
	"strings"
)

const (
	// MaxLength is how many bytes the text of a quantity may have. 19 digits are all that a number of bytes has.
	MaxLength = 64
	// MaxExponent is how far from zero the number after e or E may be. Kubernetes rounds to 1e-9, and counts up to 1e19.
	MaxExponent = 30
)

// Check returns an error, which tells the limit, if it may take much work to parse a quantity. It returns nil for text that
// is no quantity, if the parser will say so at once.
func Check(text string) error {
	if len(text) > MaxLength {
		return fmt.Errorf("a quantity of %d characters; it has to be at most %d", len(text), MaxLength)
	}
	exponent, ok := exponentOf(text)
	if n, err := strconv.Atoi(exponent); ok && (err != nil || n < -MaxExponent || n > MaxExponent) {
		return fmt.Errorf("quantity %q has an exponent of %s; it has to be between %d and %d", text, exponent, -MaxExponent, MaxExponent)
	}
	return nil
}

// exponentOf returns the number after e or E; ok is false if there is none, as in 5Ei.
func exponentOf(text string) (exponent string, ok bool) {
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return "", false
	}
	exponent = strings.TrimSpace(text[at+1:])
	digits := strings.TrimLeft(exponent, "+-")
	return exponent, digits != "" && strings.Trim(digits, "0123456789") == ""
}
