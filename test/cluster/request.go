package cluster

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// Tool provides a tool on request, if need be, and returns the path of the program. It logs its progress.
func Tool(ctx context.Context, log io.Writer, name string) (path string, err error) {
	root, t, err := requested(name)
	if err != nil {
		return "", err
	}
	return root.tool(name), provideTools(ctx, log, []tool{t})
}

// ToolSource returns the folder with the sources of a tool on request, its manifests among them. It is read-only.
func ToolSource(ctx context.Context, name string) (dir string, err error) {
	_, t, err := requested(name)
	if err != nil {
		return "", err
	}
	return Module{Tool: t.module, Path: t.source}.Dir(ctx)
}

// requested returns the tool of a name, and the checkout that it is built in.
func requested(name string) (root checkout, t tool, err error) {
	i := slices.IndexFunc(onRequest, func(t tool) bool { return t.name == name })
	if i < 0 {
		return root, t, fmt.Errorf("there is no tool %q on request", name)
	}
	root, err = findCheckout()
	return root, onRequest[i], err
}
