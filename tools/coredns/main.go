// Command coredns is the DNS of a cluster that real nodes join: CoreDNS with the few plugins that this needs. The plugins for the APIs of
// clouds are left out, because they bring most of CoreDNS's dependencies.
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
