package controller

import (
	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/podview"
)

// NewClients connects to the API server, see apiserver.NewClients.
func NewClients(base *rest.Config) (*apiserver.Clients, error) {
	return apiserver.NewClients(base, podview.Codecs())
}
