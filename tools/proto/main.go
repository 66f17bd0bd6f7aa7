// Command proto replaces protoc, running the given plugins of protoc, so that nobody has to install protoc.
//
// Usage: proto <directory of the output and the imports> <file> <plugin>...
//
// With "reference" it writes a page for people instead: proto reference <directory of the imports> <file> <minor versions> <page>.
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/pluginpb"
)

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: proto <directory> <file> and plugins"))
	}
	if args := os.Args[1:]; args[0] == "reference" {
		if len(args) != 5 {
			fail(fmt.Errorf("usage: proto reference <directory> <file> <minor versions> <page>"))
		}
		if err := reference(args[1], args[2], args[3], args[4]); err != nil {
			fail(err)
		}
		return
	}
	dir, file, plugins := os.Args[1], os.Args[2], os.Args[3:]
	request, err := compile(dir, file)
	if err != nil {
		fail(err)
	}
	for _, p := range plugins {
		if err := generate(dir, p, request); err != nil {
			fail(fmt.Errorf("%s: %w", filepath.Base(p), err))
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// parse reads a file and all that it imports, with their comments.
func parse(dir, file string) (protoreflect.FileDescriptor, error) {
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{dir}}),
		SourceInfoMode: protocompile.SourceInfoStandard, // comments
	}
	files, err := compiler.Compile(context.Background(), file)
	if err != nil {
		return nil, err
	}
	return files[0], nil
}

// compile returns the request that protoc sends to its plugins.
func compile(dir, file string) ([]byte, error) {
	parsed, err := parse(dir, file)
	if err != nil {
		return nil, err
	}
	var all []*descriptorpb.FileDescriptorProto
	withImports(parsed, map[string]bool{}, &all)
	return proto.Marshal(&pluginpb.CodeGeneratorRequest{
		FileToGenerate: []string{file},
		Parameter:      proto.String("paths=source_relative"),
		ProtoFile:      all,
		// Protoc would put its version here, and the plugins into the head of each file.
		CompilerVersion: nil,
	})
}

// withImports appends a file after its imports, in the order that plugins of protoc expect.
func withImports(f protoreflect.FileDescriptor, seen map[string]bool, all *[]*descriptorpb.FileDescriptorProto) {
	if seen[f.Path()] {
		return
	}
	seen[f.Path()] = true
	for i := range f.Imports().Len() {
		withImports(f.Imports().Get(i).FileDescriptor, seen, all)
	}
	*all = append(*all, protoutil.ProtoFromFileDescriptor(f))
}

func generate(dir, plugin string, request []byte) error {
	cmd := exec.Command(plugin)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(request), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return err
	}
	var response pluginpb.CodeGeneratorResponse
	if err := proto.Unmarshal(out, &response); err != nil {
		return err
	}
	if response.Error != nil {
		return fmt.Errorf("%s", response.GetError())
	}
	for _, f := range response.File {
		if err := os.WriteFile(filepath.Join(dir, f.GetName()), []byte(f.GetContent()), 0o644); err != nil {
			return err
		}
	}
	return nil
}
