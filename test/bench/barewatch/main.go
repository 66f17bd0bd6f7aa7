// Barewatch is the floor for barriers: a client that watches for the gate of one Framework, reads the events, and ends. No client that
// waits for the gate through the API server can be faster.
//
//	KUBECONFIG=file barewatch <namespace> <name> <gate>
package main

import (
	"bufio"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if err := wait(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// wait uses one plain connection, as the barrier does, so that the floor does not pay for another protocol.
func wait(namespace, name, gate string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.NextProtos = []string{"http/1.1"}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return err
	}
	query := url.Values{"watch": {"true"}, "fieldSelector": {"metadata.name=" + name + ",status.gate=" + gate}}
	response, err := client.Get(config.Host + "/apis/frameworkcontroller.microsoft.com/v1/namespaces/" + namespace +
		"/frameworks?" + query.Encode())
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	_, err = bufio.NewReaderSize(response.Body, 64<<10).ReadBytes('\n')
	return err
}
