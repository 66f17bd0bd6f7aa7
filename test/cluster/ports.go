package cluster

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
)

const (
	// Ports are taken below the range that the system hands out to clients. So none is lost to a connection between
	// choosing it and listening on it.
	firstPort = 20000
	lastPort  = 29999

	blockSize = 10
)

// portBlock is a run of free loopback ports. Holding its first one open keeps other clusters, of any checkout or
// user of this machine, from choosing the same block.
type portBlock struct {
	guard net.Listener
	first int
}

// FreePort returns a loopback port for a program beside a cluster, on which no program listens at the moment.
func FreePort() (int, error) {
	b, err := claimPorts()
	if err != nil {
		return 0, err
	}
	defer b.release()
	return b.port(0), nil
}

// claimPorts finds a free block.
func claimPorts() (*portBlock, error) {
	for range 100 {
		first := firstPort + blockSize*rand.IntN((lastPort-firstPort+1)/blockSize)
		if b := tryBlock(first); b != nil {
			return b, nil
		}
	}
	return nil, errors.New("no free block of loopback ports found")
}

func tryBlock(first int) *portBlock {
	guard, err := listen(first)
	if err != nil {
		return nil
	}
	b := &portBlock{guard: guard, first: first}
	for i := range blockSize - 1 {
		l, err := listen(b.port(i))
		if err != nil {
			b.release()
			return nil
		}
		l.Close()
	}
	return b
}

func listen(port int) (net.Listener, error) {
	return net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
}

// port returns the i-th port of the block, 0 <= i < blockSize-1.
func (b *portBlock) port(i int) int { return b.first + 1 + i }

// release gives up the guard. The cluster's own listeners hold the block from then on.
func (b *portBlock) release() { b.guard.Close() }
