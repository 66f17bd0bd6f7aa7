package http

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
	"github.com/frameworkcontroller/frameworkcontroller/test/debian"
)

// Debian's own interpreter, for which the packages are built.
const python3 = "/usr/bin/python3"

// clientPackages are the client of Kubernetes, and its dependencies.
var clientPackages = []string{
	"python3-kubernetes", "python3-cachetools", "python3-certifi", "python3-chardet", "python3-charset-normalizer",
	"python3-dateutil", "python3-google-auth", "python3-idna", "python3-oauthlib", "python3-pkg-resources", "python3-pyasn1",
	"python3-pyasn1-modules", "python3-requests", "python3-requests-oauthlib", "python3-rsa", "python3-six", "python3-urllib3",
	"python3-websocket", "python3-yaml",
}

// The page's programs in Python work as described, with exactly the permissions of the account that it creates.
func TestPython(t *testing.T) {
	python := needPython(t)
	blocks := readPage(t)
	dir := newReader(t, blocks)
	python.env = append(python.env, "KUBECONFIG="+clustertest.KubeconfigOf(t, kube, namespace, "portal"))
	todo := in(blocks, "python", operations...)
	p := python.run(t, dir, slices.Concat(in(blocks, "python", withPython), todo)...)
	p.next()
	for _, b := range todo {
		p.goOn()
		p.check(b)
	}
}

// needPython skips the test without Python, or without the client of Kubernetes for it.
func needPython(t *testing.T) interpreter {
	t.Helper()
	if _, err := os.Stat(python3); err != nil {
		t.Skip("skipping: needs Python: ", err)
	}
	packages, err := filepath.Abs("../../bin/tools/python3-kubernetes")
	require.NoError(t, err)
	if err := debian.Unpack(packages, clientPackages...); err != nil {
		t.Skip("skipping: needs Python's client of Kubernetes: ", err)
	}
	return interpreter{
		command: []string{python3, "-u"},
		pause:   `import sys; sys.stdout.write("\0"); sys.stdin.readline()`,
		env:     []string{"PYTHONPATH=" + packages + "/usr/lib/python3/dist-packages"},
	}
}
