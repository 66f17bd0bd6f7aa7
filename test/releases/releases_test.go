package releases

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"sigs.k8s.io/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/config"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// eachRelease runs a test for each folder in testdata.
func eachRelease(t *testing.T, test func(t *testing.T, dir string)) {
	dirs, err := filepath.Glob("testdata/v*")
	require.NoError(t, err)
	require.NotEmpty(t, dirs)
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) { test(t, dir) })
	}
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return text
}

// A stored Framework is read without a field that is unknown today, and its status is written back as it was.
func TestStoredFrameworks(t *testing.T) {
	eachRelease(t, func(t *testing.T, dir string) {
		paths, err := filepath.Glob(filepath.Join(dir, "frameworks/*.yaml"))
		require.NoError(t, err)
		require.NotEmpty(t, paths)
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				text := read(t, path)
				var f v1.Framework
				require.NoError(t, yaml.UnmarshalStrict(text, &f))
				state, err := lifecycle.Load(f.Status)
				require.NoError(t, err)
				f.Status = state.Status()
				now, err := yaml.Marshal(f)
				require.NoError(t, err)
				require.YAMLEq(t, string(text), string(now))
			})
		}
	})
}

// The default configuration of a release is valid today, and not even suspicious.
func TestConfigurations(t *testing.T) {
	eachRelease(t, func(t *testing.T, dir string) {
		c, err := config.Parse(read(t, dir, "frameworkcontroller.yaml"))
		require.NoError(t, err)
		require.Empty(t, c.Warnings())
	})
}

// Today's CRD admits everything that the CRD of a release admits: no property is gone, has another type or a narrower range.
func TestCRDs(t *testing.T) {
	today := schemaOf(t, read(t, "../../deploy/crd/frameworks.yaml"))
	eachRelease(t, func(t *testing.T, dir string) {
		for _, loss := range losses("", schemaOf(t, read(t, dir, "frameworks-crd.yaml")), today) {
			t.Error(loss)
		}
	})
}

// A plugin that was built with the contract of a release is understood today: messages, fields and calls are only added.
func TestContracts(t *testing.T) {
	today := protodesc.ToFileDescriptorProto(pluginpb.File_pkg_plugin_pluginpb_plugin_proto)
	eachRelease(t, func(t *testing.T, dir string) {
		text, err := yaml.YAMLToJSON(read(t, dir, "plugin.yaml"))
		require.NoError(t, err)
		kept := &descriptorpb.FileDescriptorProto{}
		require.NoError(t, protojson.Unmarshal(text, kept))
		for _, loss := range contractLosses(kept, today) {
			t.Error(loss)
		}
	})
}
