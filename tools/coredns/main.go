// Command coredns is the DNS of a cluster that real nodes join: CoreDNS, with no more of its plugins than that takes. They are
// few, since those that ask the clouds of others bring most of what CoreDNS depends on.
package main

import (
	"github.com/coredns/coredns/core/dnsserver"
	"github.com/coredns/coredns/coremain"
	_ "github.com/coredns/coredns/plugin/bind"
	_ "github.com/coredns/coredns/plugin/errors"
	_ "github.com/coredns/coredns/plugin/kubernetes"
	_ "github.com/coredns/coredns/plugin/ready"
	_ "github.com/coredns/coredns/plugin/template"
)

func init() { dnsserver.Directives = []string{"bind", "ready", "errors", "kubernetes", "template"} }

func main() { coremain.Run() }
