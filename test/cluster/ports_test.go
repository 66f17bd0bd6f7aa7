package cluster

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPortBlockIsClaimedOnce(t *testing.T) {
	b, err := claimPorts()
	require.NoError(t, err)
	defer b.release()
	if again := tryBlock(b.first); again != nil {
		again.release()
		t.Error("a block was claimed twice")
	}
}

func TestPortBlockInUseIsSkipped(t *testing.T) {
	b, err := claimPorts()
	require.NoError(t, err)
	user, err := listen(b.port(blockSize - 2))
	require.NoError(t, err)
	defer user.Close()
	b.release()
	if again := tryBlock(b.first); again != nil {
		again.release()
		t.Error("a block with a port in use was claimed")
	}
}
