package controller

import (
	"fmt"

	"github.com/hashicorp/go-hclog"
	"k8s.io/client-go/tools/cache"
)

// panicked logs what a bug was stopped by, and returns it as an error.
func panicked(log hclog.Logger, key cache.ObjectName, cause any) error {
	log.Error("a panic; please report this", "framework", key.String(), "error", cause, "stack", hclog.Stacktrace())
	return fmt.Errorf("panic: %v", cause)
}
