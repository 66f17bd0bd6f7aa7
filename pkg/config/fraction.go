package config

import (
	"fmt"
	"strconv"
)

// cutNumbers finds numbers whose fraction the YAML decoder has silently dropped: it reads 1.5 as 1 if a whole number is
// expected.
func (d document) cutNumbers(c *Config) (mistakes, error) {
	read, err := parseDocument([]byte(c.String()))
	if err != nil {
		return nil, err
	}
	var found mistakes
	for _, e := range d {
		if e.node.ShortTag() == "!!float" && read.isWhole(e.key) && !isWhole(e.node.Value) {
			found = append(found, fmt.Sprintf("%s: must be a whole number, but is %q", e.key, e.node.Value))
		}
	}
	return d.locate(found), nil
}

// isWhole reports whether the value of the key is a whole number.
func (d document) isWhole(key string) bool {
	for _, e := range d {
		if e.key == key {
			return e.node.ShortTag() == "!!int"
		}
	}
	return false
}

func isWhole(number string) bool {
	f, err := strconv.ParseFloat(number, 64)
	return err == nil && f == float64(int64(f))
}
