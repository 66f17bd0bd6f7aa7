package answers

import (
	"errors"
	"fmt"
	"slices"
)

func checkSpec(text []byte) error {
	var spec map[string]any
	if err := checkJSON("spec_json", text, &spec); err != nil {
		return err
	}
	if len(text) > 0 && spec == nil {
		return errors.New("spec_json: it is not an object")
	}
	for _, list := range []string{"containers", "initContainers", "ephemeralContainers"} {
		containers, _ := spec[list].([]any)
		for _, c := range containers {
			if err := checkSpecContainer(c); err != nil {
				return fmt.Errorf("spec_json: %s: %w", list, err)
			}
		}
	}
	return nil
}

// checkSpecContainer checks the environment, in which a patch could override the controller's variables.
func checkSpecContainer(container any) error {
	c, ok := container.(map[string]any)
	if !ok {
		return errors.New("an entry is not an object")
	}
	env, _ := c["env"].([]any)
	for _, e := range env {
		variable, _ := e.(map[string]any)
		if name, _ := variable["name"].(string); slices.Contains(reserved, name) {
			return fmt.Errorf("%s is set by the controller", name)
		}
	}
	return nil
}
