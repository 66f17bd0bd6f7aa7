package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
	"github.com/frameworkcontroller/frameworkcontroller/test/node"
)

// A request is one line; the answer is the error, or empty on success.
const (
	requestStop = "stop"
	requestLoad = "load "
)

// answer takes requests, one after the other, and returns when it is asked to stop.
func answer(ctx context.Context, control net.Listener, n *node.Node) error {
	for {
		conn, err := control.Accept()
		if err != nil {
			return err
		}
		request, err := bufio.NewReader(conn).ReadString('\n')
		request = strings.TrimSuffix(request, "\n")
		archive, loads := strings.CutPrefix(request, requestLoad)
		switch {
		case err != nil:
		case request == requestStop:
			return conn.Close()
		case loads:
			if err := n.LoadImage(ctx, archive); err != nil {
				fmt.Fprint(conn, err)
			}
		default:
			fmt.Fprintf(conn, "unknown request %q", request)
		}
		conn.Close()
	}
}

// ask makes a request.
func (h home) ask(request string) error {
	conn, err := net.Dial("unix", h.path("control.sock"))
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := fmt.Fprintln(conn, request); err != nil {
		return err
	}
	problem, err := io.ReadAll(conn)
	if err == nil && len(problem) > 0 {
		err = errors.New(string(problem))
	}
	return err
}

func load(h home, archive string) error {
	if archive == "" {
		return errors.New("no archive is named: make node-load IMAGE=FILE")
	}
	path, err := filepath.Abs(archive)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if _, err := os.Stat(h.kubeconfig()); errors.Is(err, fs.ErrNotExist) {
		return errors.New("no node is up: make node-up starts one")
	}
	if err := h.ask(requestLoad + path); err != nil {
		return err
	}
	fmt.Println("the node has the images in", archive)
	return nil
}

func down(h home) error {
	held, err := h.held()
	if err != nil {
		return err
	}
	if !held {
		fmt.Println("no node is up")
	}
	return errors.Join(h.end(), h.remove())
}

// end requests the end, and waits for it. A process that does not end in time, or cannot be asked yet, is killed, and the kernel kills all
// its children.
func (h home) end() error {
	if held, err := h.held(); err != nil || !held {
		return err
	}
	if h.ask(requestStop) == nil && h.awaitEnd(time.Minute) == nil {
		return nil
	}
	holder, err := h.holder()
	if err != nil {
		return err
	}
	if err := holder.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return h.awaitEnd(time.Minute)
}

// remove removes the files of a node that has ended, and of its control plane, if that could not.
func (h home) remove() error {
	return errors.Join(cluster.Sweep(), os.RemoveAll(string(h)))
}

func (h home) awaitEnd(within time.Duration) error {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if held, err := h.held(); err != nil || !held {
			return err
		}
	}
	return fmt.Errorf("the node does not end within %s", within)
}
