package main

import (
	"context"
	"crypto/sha256"
	"debug/elf"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// busybox is the shell of the images for one architecture.
type busybox struct {
	binary    []byte
	version   string
	source    string // in words: where to get its source code
	copyright []byte // copyright file of its package; nil if unknown
}

func (b busybox) sha256() string {
	sum := sha256.Sum256(b.binary)
	return hex.EncodeToString(sum[:])
}

// busyboxVariables name, by architecture, the environment variables that hand a busybox over.
var busyboxVariables = map[string]string{"amd64": "BUSYBOX_AMD64", "arm64": "BUSYBOX_ARM64"}

func knownArchitectures() []string { return slices.Sorted(maps.Keys(busyboxVariables)) }

// findBusyboxes takes the programs that are passed to it, and gets the others from Debian's archive, through the directory cache.
func findBusyboxes(ctx context.Context, cache string, architectures []string) (map[string]busybox, error) {
	found := map[string]busybox{}
	var missing []string
	for _, arch := range architectures {
		path := os.Getenv(busyboxVariables[arch])
		if path == "" {
			missing = append(missing, arch)
			continue
		}
		b, err := handedOver(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", busyboxVariables[arch], err)
		}
		found[arch] = b
	}
	if err := fromDebian(ctx, cache, missing, found); err != nil {
		return nil, fmt.Errorf("no static busybox: %w\nto use your own, name it in BUSYBOX_AMD64 and BUSYBOX_ARM64; for one architecture only, ARCH=amd64 or ARCH=arm64", err)
	}
	for arch, b := range found {
		if err := check(b.binary, arch); err != nil {
			return nil, fmt.Errorf("the busybox for %s %w", arch, err)
		}
	}
	return found, nil
}

// handedOver reads a busybox of unknown origin.
func handedOver(path string) (busybox, error) {
	binary, err := os.ReadFile(path)
	if err != nil {
		return busybox{}, err
	}
	return busybox{binary: binary, version: bannerVersion(binary), source: "whoever has built this image has it"}, nil
}

// bannerVersion returns the version from the banner in the binary, which cannot be run if it is for another machine.
func bannerVersion(binary []byte) string {
	_, after, found := strings.Cut(string(binary), "BusyBox v")
	if !found {
		return "unknown"
	}
	return strings.FieldsFunc(after[:min(len(after), 100)]+" ", func(r rune) bool { return r <= ' ' || r > '~' })[0]
}

var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// check makes sure that the binary runs without any other file.
func check(binary []byte, arch string) error {
	f, err := elf.NewFile(strings.NewReader(string(binary)))
	if err != nil {
		return fmt.Errorf("is no program: %w", err)
	}
	if f.Machine != machines[arch] {
		return fmt.Errorf("is for %v", f.Machine)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			return fmt.Errorf("is not static")
		}
	}
	return nil
}

// output runs a command, and returns its output.
func output(cmd *exec.Cmd) ([]byte, error) {
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd.Args[0], err, errors.String())
	}
	return out, nil
}
