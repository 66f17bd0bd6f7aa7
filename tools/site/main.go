package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	serve := flag.String("serve", "", "address to serve the built site on, such as 127.0.0.1:8080; empty: only build it")
	flag.Parse()
	if err := run(*serve); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(serve string) error {
	out := filepath.Join("../..", "bin", "site")
	if err := Build("../..", out); err != nil {
		return err
	}
	fmt.Println("site: built", out)
	if serve == "" {
		return nil
	}
	fmt.Println("site: serving on http://" + serve + "/, until Ctrl-C")
	return http.ListenAndServe(serve, http.FileServer(http.Dir(out)))
}

// Build makes the site of the repository at root, in a folder that it deletes first. It is run in the folder of this program.
func Build(root, out string) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	work := filepath.Join(root, "bin", "site-build")
	hugo := filepath.Join(work, "hugo")
	if err := command("go", "build", "-o", hugo, "github.com/gohugoio/hugo"); err != nil {
		return fmt.Errorf("building Hugo: %w", err)
	}
	content := filepath.Join(work, "content")
	for _, dir := range []string{content, out} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	site, err := Read(root)
	if err != nil {
		return err
	}
	if err := site.Write(content); err != nil {
		return err
	}
	err = command(hugo, "--config", "hugo.toml", "--contentDir", content, "--destination", out,
		"--cacheDir", filepath.Join(work, "cache"), "--noBuildLock", "--panicOnWarning")
	if err != nil {
		return fmt.Errorf("running Hugo: %w", err)
	}
	for _, file := range site.Files {
		data, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if err := writeFile(filepath.Join(out, strings.TrimPrefix(file, "docs/")), data); err != nil {
			return err
		}
	}
	return nil
}

// command runs a command whose output matters only if it fails.
func command(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}
