package pluginhost

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// pluginDirectory is the directory of bare commands: plugins/ beside the program itself, or beside the target of a link
// to it.
func pluginDirectory() string {
	own, err := os.Executable()
	if err != nil {
		return "plugins"
	}
	if target, err := filepath.EvalSymlinks(own); err == nil {
		own = target
	}
	return filepath.Join(filepath.Dir(own), "plugins")
}

// path of the command.
func (c Config) path(directory string) string {
	if filepath.IsAbs(c.Command) {
		return c.Command
	}
	return filepath.Join(directory, c.Command)
}

// fingerprint is a digest of the contents of a plugin's files. Equal configurations with equal fingerprints make the
// same process. It is an error if a file cannot be read, or does not match the configuration's checksum.
func (c Config) fingerprint(directory string) (string, error) {
	command := c.path(directory)
	sum, err := checkedSum(command, c.SHA256)
	if err != nil {
		return "", err
	}
	sums := []string{command, sum}
	for _, path := range slices.Sorted(maps.Keys(c.Files)) {
		sum, err := checkedSum(path, c.Files[path])
		if err != nil {
			return "", err
		}
		sums = append(sums, path, sum)
	}
	return strings.Join(sums, "\x00"), nil
}

func checkedSum(path, want string) (string, error) {
	got, err := fileSum(path)
	if err != nil {
		return "", err
	}
	if want != "" && !strings.EqualFold(got, want) {
		return "", fmt.Errorf("%s has the SHA-256 %s, but the configuration requires %s", path, got, want)
	}
	return got, nil
}

func fileSum(path string) (string, error) {
	// Opening a pipe would wait for a writer, and reading a device might never end.
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a file", path)
	}
	// Anybody who can change the file could act with the rights of the controller. A checksum would not help: the file may be changed
	// between the check and the start. Its directory is not checked, because the emptyDir into which an init container copies a plugin may
	// be written by everybody in the Pod, and only by them.
	if WritableByAnybody(path) {
		return "", fmt.Errorf("%s can be changed by anybody (mode %04o): make it safe with chmod o-w", path, info.Mode().Perm())
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
