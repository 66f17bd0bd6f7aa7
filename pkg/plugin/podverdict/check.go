package podverdict

import (
	"errors"
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
)

// CheckPhrase returns why a verdict cannot have a phrase; nil if it can.
func CheckPhrase(phrase string) error {
	switch {
	case phrase == "":
		return errors.New("is missing")
	case len(phrase) > MaxPhrase:
		return fmt.Errorf("has %d bytes, but at most %d are allowed", len(phrase), MaxPhrase)
	case !utf8.ValidString(phrase):
		return errors.New("is not UTF-8")
	}
	for _, r := range phrase {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("%q has unprintable characters", phrase)
		}
	}
	return nil
}

// CheckAttributes returns why the type of a verdict cannot have these attributes; nil if it can.
func CheckAttributes(attributes []string) error {
	known := []string{plugin.Transient, plugin.Permanent, plugin.Conflict}
	for i, a := range attributes {
		if !slices.Contains(known, a) {
			return fmt.Errorf("%q is not Transient, Permanent or Conflict", a)
		}
		if slices.Contains(attributes[:i], a) {
			return fmt.Errorf("%s occurs twice", a)
		}
	}
	if slices.Contains(attributes, plugin.Transient) && slices.Contains(attributes, plugin.Permanent) {
		return errors.New("Transient and Permanent exclude each other")
	}
	return nil
}
