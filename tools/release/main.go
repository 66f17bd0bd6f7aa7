package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	set := flag.NewFlagSet("release", flag.ContinueOnError)
	text := set.String("version", "", "version to release, such as v1.0.0")
	root := set.String("root", ".", "directory of the sources")
	out := set.String("out", "", "directory to write (default ROOT/bin/release/VERSION)")
	registry := set.String("registry", defaultRegistry, "registry and path that the images are pushed to")
	url := set.String("url", defaultURL, "address below which the files are published, without the version")
	platforms := set.String("platforms", strings.Join(allPlatforms, ","), "platforms of the plugin of kubectl")
	arch := set.String("arch", "amd64,arm64", "architectures of the images; none for no images")
	keep := set.Bool("keep", false, "write what later releases are tested with into test/releases/testdata, and make no release")
	dry := set.Bool("dry", false, "make the chart and the manifests of the working tree as it is, and nothing that is built")
	if err := set.Parse(args); err != nil {
		return err
	}
	v, err := parseVersion(*text)
	if err != nil {
		return err
	}
	if err := requirePlatforms(split(*platforms)); err != nil {
		return err
	}
	if !*dry {
		if err := requireOwnTag(ctx, *root, v); err != nil {
			return err
		}
	}
	if *keep {
		return keepObjects(*root, v)
	}
	s := source{root: *root, commit: noCommit}
	if *dry {
		*platforms, *arch = "none", "none"
	} else {
		if s, err = readSource(ctx, *root, v); err != nil {
			return err
		}
		if err := requireKept(*root, v); err != nil {
			return err
		}
	}
	if *out == "" {
		*out = filepath.Join(*root, "bin", "release", v.String())
	}
	r := &release{source: s, version: v, out: *out, registry: *registry, url: *url,
		platforms: split(*platforms), architectures: split(*arch)}
	if err := r.make(ctx); err != nil {
		return err
	}
	fmt.Println("made", *out)
	return nil
}

func split(list string) []string {
	if list == "none" {
		return nil
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}

const (
	defaultRegistry = "docker.io/frameworkcontroller"
	repository      = "https://github.com/frameworkcontroller/frameworkcontroller"
	defaultURL      = repository + "/releases/download"
)
