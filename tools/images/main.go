package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "images:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	version := flag.String("version", "dev", "tag of the images, and what --version of the programs says")
	arch := flag.String("arch", strings.Join(knownArchitectures(), ","), "architectures, separated by commas or spaces")
	out := flag.String("out", "../../bin/images", "directory to write to")
	root := flag.String("root", "../..", "directory of the sources")
	flag.Parse()
	architectures, err := parseArchitectures(*arch)
	if err != nil {
		return err
	}
	b, err := newBuild(*root, *out, *version)
	if err != nil {
		return err
	}
	written, err := b.all(ctx, architectures)
	for _, a := range written {
		fmt.Printf("%s\t%s\t%s\n", a.path, a.reference, a.digest)
	}
	return err
}

// parseArchitectures reads a list such as "amd64,arm64".
func parseArchitectures(list string) ([]string, error) {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range names {
		if busyboxVariables[name] == "" {
			return nil, fmt.Errorf("-arch: %q is not one of %s", name, strings.Join(knownArchitectures(), ", "))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("-arch: name at least one of %s", strings.Join(knownArchitectures(), ", "))
	}
	return names, nil
}
