package clustertest

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/launch"
)

// ShippedController starts the controller with the plugins and the configuration that we ship, until the tests are over. Edit
// changes the configuration; nil leaves it.
func (s *Setup) ShippedController(ctx context.Context, c *cluster.Cluster, edit func(config string) (string, error), args ...string) (*launch.Process, error) {
	dir, err := os.MkdirTemp(s.Dir, "controller")
	if err != nil {
		return nil, err
	}
	binary, err := Install(ctx, dir, ControllerProgram)
	if err != nil {
		return nil, err
	}
	if _, err := Install(ctx, dir, PluginPrograms); err != nil {
		return nil, err
	}
	text, err := os.ReadFile("../../example/config/default/frameworkcontroller.yaml")
	if err != nil {
		return nil, err
	}
	config := string(text)
	if edit != nil {
		if config, err = edit(config); err != nil {
			return nil, err
		}
	}
	p, err := launch.Controller(c, launch.Options{Binary: binary, Args: args, Dir: filepath.Join(dir, "work"), Config: config})
	if err != nil {
		return nil, err
	}
	s.AtEnd(func() error {
		_, err := p.Terminate(time.Minute)
		return err
	})
	return p, nil
}
