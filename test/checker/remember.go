package checker

import (
	"context"
	"time"

	"k8s.io/client-go/rest"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// Remember reads all that the history server at a URL has of a namespace, or of all if that is empty. The server must not ask for
// credentials.
func Remember(ctx context.Context, url, namespace string) (m Remembered, err error) {
	server, err := historyclient.Connect(ctx, &rest.Config{}, historyclient.Options{URL: url, Timeout: time.Minute})
	if err != nil {
		return m, err
	}
	defer server.Close()
	all := historyclient.Filter{Namespace: namespace}
	_, err = server.Frameworks(ctx, all, 0, func(f historyapi.Framework) error {
		d, err := server.Framework(ctx, f.Namespace, f.Name, f.UID)
		m.Frameworks = append(m.Frameworks, d)
		return err
	})
	if err != nil {
		return m, err
	}
	_, err = server.Tasks(ctx, all, 0, func(t historyapi.TaskAttempt) error {
		m.Tasks = append(m.Tasks, t)
		return nil
	})
	if err != nil {
		return m, err
	}
	_, err = server.Verdicts(ctx, all, 0, func(v historyapi.Verdict) error {
		v.Judgment = historyapi.Judgment{} // it may be large, and is not compared
		m.Verdicts = append(m.Verdicts, v)
		return nil
	})
	if err != nil {
		return m, err
	}
	_, err = server.ShadowVerdicts(ctx, all, 0, func(v historyapi.ShadowVerdict) error {
		m.Shadows = append(m.Shadows, v)
		return nil
	})
	return m, err
}
