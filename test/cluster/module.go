package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// Module is a Go module that a module under tools/ requires, in the version given there.
type Module struct {
	Tool string // the folder under tools/
	Path string
}

// Dir returns the folder with its sources, and all files beside them. It is read-only, and fetched if need be.
func (m Module) Dir(ctx context.Context) (string, error) {
	cmd, err := m.Command(ctx, "go", "mod", "download", "-json", m.Path)
	if err != nil {
		return "", err
	}
	output, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("getting the sources of %s: %w\n%s", m.Path, err, output)
	}
	var module struct{ Dir string }
	err = json.Unmarshal(output, &module)
	return module.Dir, err
}

// Command is for programs that read Go packages as the module under tools/ sees them.
func (m Module) Command(ctx context.Context, program string, args ...string) (*exec.Cmd, error) {
	root, err := findCheckout()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = root.toolsModule(m.Tool), append(os.Environ(), "GOWORK=off")
	return cmd, nil
}
