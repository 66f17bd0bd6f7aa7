package launch

import (
	"net"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// History starts a history server that trusts everybody on this machine. It listens on a loopback address, and has its database in a
// file. A server that is started again with the same address and file continues the history.
func History(c *cluster.Cluster, o Options, address, database string) (*Process, error) {
	o.Args = []string{"serve", "--no-auth", "--address", address, "--database", database}
	return Program(c, o)
}

// FreeAddress returns an address on loopback on which no program listened a moment ago.
func FreeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}
