package controller

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// The tests mostly wait, so many of them run at a time, however few processors there are.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", strconv.Itoa(atATime)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
