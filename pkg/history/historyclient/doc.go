// Package historyclient reads the history server of a cluster.
//
// It finds the server, reaches it through a forwarded port, also after its Pod was replaced, and sends it the caller's credentials for the API server. They are a
// bearer token or a client certificate, and may come from a credential plugin. Only a server with a verified certificate gets them,
// unless Options relax that. The caller interprets the answers.
//
//	client, err := historyclient.Connect(ctx, config, historyclient.Options{Timeout: time.Minute})
//	if err != nil {
//		return err
//	}
//	defer client.Close()
//	more, err := client.Frameworks(ctx, historyclient.Filter{Namespace: "research"}, 100, func(f historyapi.Framework) error {
//		fmt.Println(f.Name)
//		return nil
//	})
package historyclient
