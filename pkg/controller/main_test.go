package controller

import (
	"flag"
	"os"
	"testing"
)

// The tests mostly wait, so many of them run at a time, however few processors there are.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "64"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
