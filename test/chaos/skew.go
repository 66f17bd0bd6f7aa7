package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// skewVariable has the number of seconds by which the clock of a skewed controller is wrong.
const skewVariable = "CHAOS_CLOCK_SKEW"

// The line of Go's own package time that reads the clock, and its replacement.
const (
	asksTime  = "\tsec, nsec, mono := runtimeNow()\n"
	asksWrong = "\tsec, nsec, mono := runtimeNow()\n\tsec += skewed\n"
)

// wrongTime is added to package time, which can import very little: not even strconv.
const wrongTime = `
package time

import "syscall"

// skewed is by how many seconds every clock of this process is wrong.
var skewed = readSkew()

func readSkew() (seconds int64) {
	text, _ := syscall.Getenv("` + skewVariable + `")
	sign := int64(1)
	for _, c := range text {
		if c == '-' {
			sign = -1
		} else {
			seconds = 10*seconds + int64(c-'0')
		}
	}
	return sign * seconds
}
`

// buildSkewed builds a program with a package time that returns the wrong time: nothing less makes the clock wrong for all of one process,
// since Go asks no library, and Linux can shift clocks for a process only if they count from its start. The product needs no switch for it.
// Everything is recompiled, which takes some minutes the first time. The build writes its files to dir.
func buildSkewed(ctx context.Context, program, binary, dir string) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("looking for Go: %w", err)
	}
	source := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	text, err := os.ReadFile(filepath.Join(source, "time.go"))
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), asksTime); n != 1 {
		return fmt.Errorf("package time of this Go asks for the time in %d places, not in one: see skew.go", n)
	}
	wrong := strings.Replace(string(text), asksTime, asksWrong, 1)
	overlay := map[string]string{}
	for name, text := range map[string]string{"time.go": wrong, "skewed.go": wrongTime} {
		path := filepath.Join(dir, name+".txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
		overlay[filepath.Join(source, name)] = path
	}
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "overlay.json")
	if err := os.WriteFile(file, list, 0o644); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", file, "-o", binary, program)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s with a wrong clock: %w\n%s", program, err, out)
	}
	return nil
}
