package controller

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// The tests mostly wait, so that many of them run in parallel, however few processors there are.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(atATime)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
