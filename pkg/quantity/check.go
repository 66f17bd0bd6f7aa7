package quantity

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

const (
	// MaxLength is the maximum length of a quantity's text in bytes. A number of bytes has at most 19 digits.
	MaxLength = 64
	// MaxExponent is the maximum absolute value of the number after e or E. Kubernetes rounds to 1e-9, and counts up to
	// 1e19.
	MaxExponent = 30
)

// Check returns an error that names the limit if parsing the quantity may be expensive. For text that is not a quantity
// it returns nil if the parser rejects it at once.
func Check(text string) error {
	if err := CheckLength(len(text)); err != nil {
		return err
	}
	exponent, ok := exponentOf(text)
	if n, err := strconv.Atoi(exponent); ok && (err != nil || n < -MaxExponent || n > MaxExponent) {
		return fmt.Errorf("quantity %q has an exponent of %s; it must be between %d and %d", text, exponent, -MaxExponent, MaxExponent)
	}
	return nil
}

// CheckLength is Check for the length of a text in bytes: a longer text than MaxLength need not be made to be refused.
func CheckLength(n int) error {
	if n > MaxLength {
		return fmt.Errorf("a quantity of %d characters; it must be at most %d", n, MaxLength)
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

// Bytes returns a quantity as a whole number, rounded up; 0 for text that is no quantity, or that Check refuses.
func Bytes(text string) int64 {
	if text == "" || Check(text) != nil {
		return 0
	}
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return 0
	}
	return q.Value()
}
