package config

import (
	"regexp"
	"slices"
	"strings"
)

// mistakes are the mistakes of a file. Each begins with its key and a colon, and all fit in one line.
type mistakes []string

func (m mistakes) Error() string {
	return strings.ReplaceAll(strings.Join(m, "; "), "\n", " ")
}

// orNil avoids an error that is not nil and has no text.
func (m mistakes) orNil() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

// otherThan drops later mistakes that may only follow from the ones already found: they are about, or mention, a key whose intended value
// is unknown.
func (m mistakes) otherThan(later mistakes) mistakes {
	unsure := map[string]bool{}
	for _, text := range m {
		unsure[mistakenKey.FindStringSubmatch(text)[1]] = true
	}
	return slices.DeleteFunc(later, func(text string) bool {
		return slices.ContainsFunc(word.FindAllString(text, -1), func(w string) bool { return unsure[w] })
	})
}

var (
	// mistakenKey matches the outermost part of a mistake's key, if it has one.
	mistakenKey = regexp.MustCompile(`^(?:line \d+: )?(\w*)`)
	word        = regexp.MustCompile(`\w+`)
)

// split returns the errors that err joins, or err itself.
func split(err error) mistakes {
	if err == nil {
		return nil
	}
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return mistakes{err.Error()}
	}
	var found mistakes
	for _, e := range joined.Unwrap() {
		found = append(found, e.Error())
	}
	return found
}
