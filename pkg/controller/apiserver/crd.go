package apiserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/hashicorp/go-hclog"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apimachinery/pkg/util/yaml"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

var extensionsGroupVersion = schema.GroupVersion{Group: "apiextensions.k8s.io", Version: "v1"}

// FieldManager is the name under which the controller owns applied fields.
const FieldManager = "frameworkcontroller"

// CRDOptions configure how the controller installs its CRD.
type CRDOptions struct {
	// Manifest of the CRD, in YAML.
	Manifest []byte
	// CheckInterval and CheckTimeout control the wait until the API server serves it.
	CheckInterval, CheckTimeout time.Duration

	// log receives the reason for a delay; nil for no log.
	log hclog.Logger
}

// InstallCRD applies the CRD, and waits until the API server serves it. It takes over fields owned by any other manager, since
// the original controller may have installed its own CRD (decisions, W28). It also waits for an API server that does not
// answer yet.
func InstallCRD(ctx context.Context, c *Clients, o CRDOptions) error {
	manifest, err := yaml.ToJSON(o.Manifest)
	if err != nil {
		return fmt.Errorf("reading the CRD manifest: %w", err)
	}
	var last error // other than the timeout
	err = wait.PollUntilContextTimeout(ctx, o.CheckInterval, o.CheckTimeout, true, func(ctx context.Context) (bool, error) {
		established, err := c.applyCRD(ctx, manifest)
		if err != nil && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
			o.logFirst(last == nil, err)
			last = err
		}
		return established, final(err)
	})
	switch {
	case err == nil:
		return nil
	case last == nil || errors.Is(err, last):
		return fmt.Errorf("installing CRD %s: %w", v1.CRDName, err)
	}
	return fmt.Errorf("installing CRD %s: %w: %w", v1.CRDName, err, last)
}

// logFirst logs the first failure. The others are rarely different, and the last one is returned.
func (o CRDOptions) logFirst(first bool, err error) {
	if first && o.log != nil {
		o.log.Warn("the CRD cannot be installed yet; retrying", "for", o.CheckTimeout.String(), "error", err)
	}
}

// applyCRD reports whether the CRD is applied and established.
func (c *Clients) applyCRD(ctx context.Context, manifest []byte) (established bool, err error) {
	body, err := Send(ctx, c.extensions.Patch(types.ApplyPatchType).Resource("customresourcedefinitions").Name(v1.CRDName).
		Param("fieldManager", FieldManager).Param("force", "true").Body(manifest))
	if err != nil {
		return false, err
	}
	return isEstablished(body)
}

// final returns an error only if another attempt would fail in the same way.
func final(err error) error {
	if apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) {
		return err
	}
	return nil
}

func isEstablished(body []byte) (bool, error) {
	var crd struct {
		Status struct {
			Conditions []struct{ Type, Status string } `json:"conditions"`
		} `json:"status"`
	}
	if err := json.Unmarshal(body, &crd); err != nil {
		return false, err
	}
	for _, condition := range crd.Status.Conditions {
		if condition.Type == "Established" && condition.Status == "True" {
			return true, nil
		}
	}
	return false, nil
}
