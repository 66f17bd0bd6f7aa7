package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protodesc"
	"sigs.k8s.io/yaml"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle/lifecycletest"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// keptDir is the folder, below the root of the sources, where tests of later releases find the stored files.
func keptDir(v semver) string { return filepath.Join("test/releases/testdata", v.String()) }

// keepObjects writes the CRD, the default configuration, the contract of plugins and some stored Frameworks of this
// release. They are committed before the tag is set, and never changed afterwards.
func keepObjects(root string, v semver) error {
	files, err := keptFiles(root)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, keptDir(v))
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, body := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, body, 0o644); err != nil {
			return err
		}
	}
	fmt.Println("kept", len(files), "files in", dir+": commit them before you set the tag")
	return nil
}

// requireKept refuses a release whose commit lacks the files that it would write.
func requireKept(root string, v semver) error {
	want, err := keptFiles(root)
	if err != nil {
		return err
	}
	got, err := readKept(filepath.Join(root, keptDir(v)))
	if err != nil {
		return err
	}
	var differ []string
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			differ = append(differ, name)
		}
	}
	for name := range got {
		if want[name] == nil {
			differ = append(differ, name)
		}
	}
	if len(differ) > 0 {
		slices.Sort(differ)
		return fmt.Errorf("%s is not what this commit stores: run make release-keep VERSION=%s and commit the change of %s",
			keptDir(v), v, strings.Join(differ, ", "))
	}
	return nil
}

// readKept returns the files of a folder, none if it does not exist.
func readKept(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(name)], err = os.ReadFile(path)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return files, err
}

func keptFiles(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for name, from := range map[string]string{
		"frameworks-crd.yaml":      "deploy/crd/frameworks.yaml",
		"frameworkcontroller.yaml": "example/config/default/frameworkcontroller.yaml",
	} {
		body, err := os.ReadFile(filepath.Join(root, from))
		if err != nil {
			return nil, err
		}
		files[name] = body
	}
	contract, err := contractOf()
	if err != nil {
		return nil, err
	}
	files["plugin.yaml"] = contract
	for name, commands := range keptStories {
		framework, err := storedFramework(commands)
		if err != nil {
			return nil, fmt.Errorf("story %s: %w", name, err)
		}
		files["frameworks/"+name+".yaml"] = framework
	}
	return files, nil
}

// contractOf describes the messages of the contract so that they can be compared without a protobuf compiler.
func contractOf() ([]byte, error) {
	text, err := protojson.Marshal(protodesc.ToFileDescriptorProto(pluginpb.File_pkg_plugin_pluginpb_plugin_proto))
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML(text)
}

// command is a command of lifecycletest.
type command struct{ line, input string }

// keptStories end with a status that a controller of a later release finds in the cluster.
var keptStories = map[string][]command{
	"running":          {{"framework fancy max=2", "ps\nworker x3 max=1 succeeded=3"}},
	"waiting-to-retry": {{"framework max=1 backoff=60/300", "worker x2"}, {"exit worker-0 9", ""}},
	"task-retried":     {{"framework", "worker x2 max=3"}, {"exit worker-1 9", ""}, {"exit worker-1 5", ""}},
	"succeeded":        {{"framework", "worker x2 succeeded=2"}, {"exit worker-0 0", ""}, {"exit worker-1 0", ""}},
	"failed":           {{"framework", "ps\nworker x2"}, {"exit worker-0 1", ""}},
	"suspended":        {{"framework", "worker x2"}, {"edit suspend", ""}},
	"stopped":          {{"framework", "worker x2"}, {"edit exec=Stop", ""}},
	"start-order":      {{"framework", "ps\nworker x2 after=ps/Running"}},
	"window":           {{"framework", "worker max=5 window=2/3600"}, {"exit worker-0 9", ""}},
	"restarted-role":   {{"framework", "worker x2 max=2 restart=Role"}, {"exit worker-0 9", ""}},
	"avoided-node":     {{"nodes a b", ""}, {"framework", "worker max=2 avoid=Require/3600/5"}, {"exit worker-0 9", ""}},
	"waiting":          {{"set crowded on", ""}, {"framework fancy max=1", "worker x2 gang=2"}, {"advance 60s", ""}},
	"rescaled":         {{"framework", "worker x4"}, {"edit", "worker x2"}},
}

func storedFramework(commands []command) ([]byte, error) {
	story := lifecycletest.NewStory(lifecycletest.Config())
	for _, c := range commands {
		if _, err := story.Do(c.line, c.input); err != nil {
			return nil, fmt.Errorf("%s: %w", c.line, err)
		}
	}
	f := story.Object()
	f.APIVersion, f.Kind = "frameworkcontroller.microsoft.com/v1", "Framework"
	return yaml.Marshal(f)
}
