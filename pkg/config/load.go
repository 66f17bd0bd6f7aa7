package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"gopkg.in/yaml.v3"
)

// DefaultPath is where the configuration file is unless --config says otherwise.
const DefaultPath = "./frameworkcontroller.yaml"

// Load reads the configuration file, which has to be there. Its errors are one line.
func Load(path string) (*Config, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	c, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("configuration %s: %w", path, err)
	}
	return c, nil
}

func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, errors.New("is a directory: give the file in it, or mount the volume with a subPath")
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errors.New("does not exist: put the file there, or name another one with --config")
	}
	return data, err
}

// Parse reads the text of a configuration file. A text of comments only gives the defaults; an empty one is an
// error, as it is what a failed copy leaves behind.
func Parse(data []byte) (*Config, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("is empty: write {} to run with the defaults")
	}
	doc, err := parseDocument(data)
	if err != nil {
		return nil, err
	}
	c := Default()
	if err := decodeStrictly(data, c); err != nil {
		return nil, doc.explain(err)
	}
	if err := doc.cutNumbers(c); err != nil {
		return nil, err
	}
	c.completeRate()
	if err := doc.locate(c.check()); err != nil {
		return nil, err
	}
	return c, nil
}

// decodeStrictly fills c from data; keys that are absent or null keep what c has.
func decodeStrictly(data []byte, c *Config) error {
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(c); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// check validates c and compiles its rules. It returns all mistakes.
func (c *Config) check() mistakes {
	found := c.outOfRange()
	rules, err := completion.Compile(c.PodFailureSpec)
	c.rules = rules
	return append(found, split(err)...)
}
