package main

import (
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExactCPUIsNotInTicks(t *testing.T) {
	const tick = 1.0 / ticks
	for range 100 {
		sum, err := exactCPU(os.Getpid())
		require.NoError(t, err)
		if rest := math.Mod(sum, tick); rest > tick/100 && rest < tick*99/100 {
			return
		}
	}
	t.Error("it is always a whole number of ticks")
}

func TestExactCPUOfNoProcess(t *testing.T) {
	_, err := exactCPU(-1)
	require.Error(t, err)
}
