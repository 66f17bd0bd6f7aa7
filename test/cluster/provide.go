package cluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// ProvideTools puts the programs that a cluster of a release needs into bin/tools. It skips programs that exist in the pinned version. It
// copies others from KUBEBUILDER_ASSETS or the PATH, fetches the ones that Kubernetes publishes, and builds the rest, which takes minutes.
// It logs its progress. Concurrent processes wait for each other.
func ProvideTools(ctx context.Context, log io.Writer, r Release) error {
	return provideTools(ctx, log, toolset(r))
}

func provideTools(ctx context.Context, log io.Writer, tools []tool) error {
	root, err := findCheckout()
	if err != nil {
		return err
	}
	if missing, err := missingOf(root, tools); err != nil || len(missing) == 0 {
		return err
	}
	unlock, err := lockTools(root, log)
	if err != nil {
		return err
	}
	defer unlock()
	published, err := publishedReleases(root)
	if err != nil {
		return err
	}
	return provider{root: root, log: log, published: published}.provide(ctx, tools)
}

func missingOf(root checkout, tools []tool) ([]tool, error) {
	var missing []tool
	for _, t := range tools {
		there, err := t.there(root)
		if err != nil {
			return nil, err
		}
		if !there {
			missing = append(missing, t)
		}
	}
	return missing, nil
}

func lockTools(root checkout, log io.Writer) (unlock func() error, err error) {
	if err := os.MkdirAll(root.tools(), 0o755); err != nil {
		return nil, err
	}
	path := filepath.Join(root.tools(), ".lock")
	f, err := tryLock(path)
	if f == nil && err == nil {
		fmt.Fprintln(log, "waiting for another process that gets the tools")
		f, err = waitLock(path)
	}
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

// provider gets programs in three ways, the quickest first.
type provider struct {
	root      checkout
	log       io.Writer
	published releases
}

// provide checks again which tools are missing: another process may have provided them while this one waited for the lock.
func (p provider) provide(ctx context.Context, tools []tool) error {
	missing, err := missingOf(p.root, tools)
	if err != nil {
		return err
	}
	missing = p.take(ctx, missing)
	for _, t := range missing {
		if !t.pinned(p.root) {
			return fmt.Errorf("%s is not at hand, and of that release nothing is fetched or built", t.name)
		}
	}
	left, err := p.fetch(ctx, missing)
	if err != nil {
		return err
	}
	return buildAll(ctx, p.root, p.log, left)
}
