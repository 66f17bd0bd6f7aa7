package clustertest

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// Setup is shared by all tests of a package.
type Setup struct {
	// Dir is a folder for files. It is removed in the end.
	Dir string

	endContext context.CancelFunc
	ends       []func() error // in the order of registration
}

// Main is the body of TestMain: it prepares, runs the tests and ends the process. With -short it prints that the tests are skipped, and
// does nothing.
func Main(m *testing.M, prepare func(context.Context, *Setup) error) {
	flag.Parse()
	if testing.Short() {
		fmt.Println("skipping: needs a cluster")
		return
	}
	os.Exit(Run(m, prepare))
}

// Run prepares, runs the tests and returns the exit code of the process. The context of prepare ends before the cluster does.
func Run(m *testing.M, prepare func(context.Context, *Setup) error) (code int) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s := &Setup{endContext: cancel}
	defer func() {
		if err := s.end(); err != nil {
			log.Print(err)
			code = 1
		}
	}()
	if err := s.begin(ctx, prepare); err != nil {
		log.Print(err)
		return 1
	}
	return m.Run()
}

func (s *Setup) begin(ctx context.Context, prepare func(context.Context, *Setup) error) (err error) {
	here, err := os.Getwd() // the folder of the package
	if err != nil {
		return err
	}
	if s.Dir, err = os.MkdirTemp("", filepath.Base(here)+"-"); err != nil {
		return err
	}
	s.AtEnd(func() error { return os.RemoveAll(s.Dir) })
	return prepare(ctx, s)
}

// AtEnd has something done after the tests, the last first. An error makes the run fail; the rest is done all the same.
func (s *Setup) AtEnd(do func() error) { s.ends = append(s.ends, do) }

func (s *Setup) end() (first error) {
	for _, do := range slices.Backward(s.ends) {
		if err := do(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Cluster starts one, which is stopped in the end.
func (s *Setup) Cluster(ctx context.Context, o cluster.Options) (*cluster.Cluster, error) {
	c, err := cluster.Start(ctx, o)
	if err != nil {
		return nil, err
	}
	s.AtEnd(func() error {
		s.endContext()
		return c.Stop()
	})
	return c, nil
}
