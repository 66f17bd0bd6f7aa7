package kubectl

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// inPlainWords explains an error of the API server to the user, with the way out.
func (k *cluster) inPlainWords(err error) error {
	var connection *url.Error
	switch {
	case apierrors.IsNotFound(err) && apierrors.HasStatusCause(err, metav1.CauseTypeUnexpectedServerResponse):
		return errors.New("the Framework resource is not installed in this cluster: install the controller, or choose another cluster with --context")
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%w in namespace %s: kubectl framework list -A shows all", err, k.namespace)
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%w: ask an administrator for a role that allows it; the role view of the namespace is enough to read", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server %s has not answered within %s: try again, or set a longer --request-timeout", k.server, k.within)
	case errors.As(err, &connection):
		return fmt.Errorf("the API server %s does not answer: %w; kubectl config get-contexts shows other clusters", k.server, connection.Err)
	}
	return err
}
