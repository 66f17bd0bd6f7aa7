package controller

import (
	"context"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/controller/apiserver"
)

// readStored reads the stored Framework. Done has to be called when what is wanted of the text is taken, and may be called
// again; it is not nil without an error.
func (rd *reader) readStored(ctx context.Context, r *record) (text []byte, done func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, apiserver.RequestTimeout) // also of the wait for its turn
	defer cancel()
	answer, err := getStored(rd.clients, r.key).Stream(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Close()
	return rd.largeReads.Read(ctx, answer)
}

func getStored(c *apiserver.Clients, key cache.ObjectName) *rest.Request {
	return c.Frameworks.Get().Namespace(key.Namespace).Resource(v1.FrameworkPlural).Name(key.Name)
}
