package config

import "strings"

// mistakes are what is wrong with a file. Each begins with its key and a colon, and all fit in one line.
type mistakes []string

func (m mistakes) Error() string {
	return strings.ReplaceAll(strings.Join(m, "; "), "\n", " ")
}

// orNil avoids an error that is not nil and says nothing.
func (m mistakes) orNil() error {
	if len(m) == 0 {
		return nil
	}
	return m
}

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
