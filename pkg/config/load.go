package config

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"gopkg.in/yaml.v3"
)

// DefaultPath is the path of the configuration file without --config.
const DefaultPath = "./frameworkcontroller.yaml"

// Load reads the configuration file, which must exist. Its errors are one line.
func Load(path string) (*Config, error) {
	return NewFile(path).Load()
}

func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("is a directory: name the file in it, or mount the volume with a subPath")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("does not exist: put the file there, or name another one with --config")
	}
	return data, err
}

// Parse reads the text of a configuration file. Text that has only comments gives the defaults; empty text is an error,
// as a failed copy leaves an empty file.
func Parse(data []byte) (*Config, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("is empty: write {} to run with the defaults")
	}
	doc, err := parseDocument(data)
	if err != nil {
		return nil, err
	}
	c := Default()
	found, err := doc.explain(decodeStrictly(data, c))
	if err != nil {
		return nil, err
	}
	cut, err := doc.cutNumbers(c)
	if err != nil {
		return nil, err
	}
	found = append(found, cut...)
	c.completeRate()
	found = append(found, doc.locate(found.otherThan(c.check()))...)
	if len(found) > 0 {
		return nil, found
	}
	return c, nil
}

// decodeStrictly fills c from data; absent and null keys keep their values in c.
func decodeStrictly(data []byte, c *Config) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(c); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// check validates c, compiles its rules and returns all mistakes.
func (c *Config) check() mistakes {
	found := append(c.outOfRange(), c.pluginMistakes()...)
	rules, err := completion.Compile(c.PodFailureSpec)
	c.rules = rules
	return append(found, split(err)...)
}
