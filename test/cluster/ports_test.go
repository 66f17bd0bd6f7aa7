package cluster

import "testing"

func TestPortBlockIsClaimedOnce(t *testing.T) {
	b, err := claimPorts()
	if err != nil {
		t.Fatal(err)
	}
	defer b.release()
	if again := tryBlock(b.first); again != nil {
		again.release()
		t.Error("a block was claimed twice")
	}
}

func TestPortBlockInUseIsSkipped(t *testing.T) {
	b, err := claimPorts()
	if err != nil {
		t.Fatal(err)
	}
	user, err := listen(b.port(blockSize - 2))
	if err != nil {
		t.Fatal(err)
	}
	defer user.Close()
	b.release()
	if again := tryBlock(b.first); again != nil {
		again.release()
		t.Error("a block with a port in use was claimed")
	}
}
