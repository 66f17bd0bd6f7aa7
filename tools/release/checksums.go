package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const checksums = "SHA256SUMS"

// writeChecksums lists every other file of the folder, as sha256sum --check reads it.
func (r *release) writeChecksums(context.Context) error {
	names, err := r.files()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, name := range names {
		sum, err := r.sha256OfFile(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%s  %s\n", sum, name)
	}
	return r.write(checksums, []byte(out.String()))
}

// files are the names of all files of the folder, in order.
func (r *release) files() ([]string, error) {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, nil
}

func (r *release) sha256OfFile(name string) (string, error) {
	f, err := os.Open(filepath.Join(r.out, name))
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sha256Of(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}
