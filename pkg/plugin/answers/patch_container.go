package answers

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

func checkContainers(role *pluginpb.RoleShape, containers []*pluginpb.ContainerPatch) error {
	for _, c := range containers {
		if c.GetName() != "" && !slices.Contains(role.GetContainerNames(), c.GetName()) {
			return fmt.Errorf("there is no container %q", completion.Cut(c.GetName(), 100))
		}
		if err := errors.Join(checkEnv(c.GetEnvJson()), checkQuantities("request", c.GetRequests()),
			checkQuantities("limit", c.GetLimits())); err != nil {
			return err
		}
	}
	return nil
}

func checkEnv(text []byte) error {
	var env []corev1.EnvVar
	if err := checkJSON("env_json", text, &env); err != nil {
		return err
	}
	for _, e := range env {
		if e.Name == "" {
			return errors.New("env_json: a variable has no name")
		}
		if slices.Contains(reserved, e.Name) {
			return fmt.Errorf("env_json: %s is set by the controller", e.Name)
		}
	}
	return nil
}

func checkQuantities(what string, amounts map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(amounts)) {
		if problems := validation.IsQualifiedName(name); len(problems) > 0 {
			return fmt.Errorf("%s %q: %s", what, completion.Cut(name, 100), problems[0])
		}
		amount := amounts[name]
		if isPlaceholder(amount) {
			continue
		}
		if err := quantity.Check(amount); err != nil {
			return fmt.Errorf("%s %s: %w", what, name, err)
		}
		parsed, err := resource.ParseQuantity(amount)
		if err != nil {
			return fmt.Errorf("%s %s: %q is not a quantity", what, name, completion.Cut(amount, 100))
		}
		if parsed.Sign() < 0 {
			return fmt.Errorf("%s %s: %s is negative", what, name, amount)
		}
	}
	return nil
}
