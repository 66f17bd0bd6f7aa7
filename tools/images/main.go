package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"text/tabwriter"
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
	commit := flag.String("commit", "", "commit of the sources, which the programs and the images tell")
	registry := flag.String("registry", defaultRegistry, "registry that the images are pushed to, with the path there")
	asJSON := flag.Bool("json", false, "list the archives for programs, as JSON")
	flag.Parse()
	architectures, err := parseArchitectures(*arch)
	if err != nil {
		return err
	}
	b, err := newBuild(*root, *out, *version)
	if err != nil {
		return err
	}
	b.commit, b.registry = *commit, *registry
	written, err := b.all(ctx, architectures)
	if *asJSON {
		return errors.Join(err, json.NewEncoder(os.Stdout).Encode(written))
	}
	return errors.Join(err, list(os.Stdout, written))
}

// list prints a row for each archive.
func list(out io.Writer, archives []archive) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tPLATFORMS\tARCHIVE\tDIGEST")
	for _, a := range archives {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", a.Component, strings.Join(a.Platforms, ","), a.Path, a.Digest)
	}
	return w.Flush()
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
