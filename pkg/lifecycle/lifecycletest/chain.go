package lifecycletest

import (
	"fmt"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// chain is a line of the story that is still growing: successive moves of the Framework, or of one Task, as in
// "a-0: Preparing -> Running -> Deleting (T7b T10)".
type chain struct {
	who, path string
	rows      []string
}

func (c *chain) add(out *strings.Builder, move lifecycle.Move) {
	who, path, _ := strings.Cut(move.String(), ": ")
	from, to, _ := strings.Cut(path, " -> ")
	if c.who != who || !strings.HasSuffix(c.path, from) {
		c.end(out)
		c.who, c.path = who, from
	}
	c.path += " -> " + to
	c.rows = append(c.rows, move.Row)
	if move.Retry != "" {
		c.rows = append(c.rows, string(move.Retry))
	}
}

func (c *chain) end(out *strings.Builder) {
	if c.who != "" {
		fmt.Fprintf(out, "%s: %s (%s)\n", c.who, c.path, strings.Join(c.rows, " "))
	}
	*c = chain{}
}
