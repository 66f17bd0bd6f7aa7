package kubectl

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func (c *caller) watch() *cobra.Command {
	return &cobra.Command{
		Use:   "watch NAME",
		Short: "Watch a Framework until it has completed",
		Long: `Watch a Framework until it has completed.

On a terminal it takes the whole screen: the roles, with how their Tasks stand, and the latest events. Elsewhere it
prints a line for each change. Ctrl-C ends it.

The screen has colors unless NO_COLOR is set, and block characters if the locale is UTF-8. If TERM is dumb, it has neither.`,
		Args:              takesName(1),
		ValidArgsFunction: c.completeNames(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			k, err := c.cluster()
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			name := bare(args[0])
			if fd, ok := terminalOf(c.Out); ok {
				err = c.watchOnScreen(ctx, k, name, fd)
			} else {
				err = c.watchInLines(ctx, k, name)
			}
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
}

// terminalOf returns the descriptor of a terminal; ok is false for other outputs.
func terminalOf(out io.Writer) (fd int, ok bool) {
	f, ok := direct(out).(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	return int(f.Fd()), true
}

// watchInLines prints a line whenever the summary changes.
func (c *caller) watchInLines(ctx context.Context, k *cluster, name string) error {
	last := ""
	return k.follow(ctx, name, func(s *stored) (bool, error) {
		text := "gone"
		if s != nil {
			text = s.oneLine()
		}
		if text != last {
			last = text
			if _, err := fmt.Fprintf(c.Out, "%s %s: %s\n", time.Now().UTC().Format(time.RFC3339), name, onOneLine(text)); err != nil {
				return false, err
			}
		}
		return s == nil || hasCompleted(s), nil
	})
}

// Escape codes of terminals.
const (
	alternateScreen = "\x1b[?1049h\x1b[?25l" // without cursor
	normalScreen    = "\x1b[?25h\x1b[?1049l"
	home            = "\x1b[H"
	clearRest       = "\x1b[J"
)

// drawAgain is the redraw interval if nothing changes: ages do.
const drawAgain = time.Second

// lookForEvents is the interval between reads of events.
const lookForEvents = 2 * time.Second

// watchOnScreen draws the screen, and leaves the last one behind when the Framework has completed.
func (c *caller) watchOnScreen(ctx context.Context, k *cluster, name string, fd int) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	changes, ended := make(chan *stored, 1), make(chan error, 1)
	go func() {
		ended <- k.follow(ctx, name, func(s *stored) (bool, error) {
			replace(changes, s)
			return s == nil || hasCompleted(s), nil
		})
	}()
	first, err := firstOf(changes, ended)
	if err != nil {
		return err
	}
	v := &view{k: k, s: first, style: styleOf(os.Getenv)}
	out := direct(c.Out)
	fmt.Fprint(out, alternateScreen)
	err = v.keep(ctx, out, fd, changes, ended)
	fmt.Fprint(out, normalScreen)
	v.readAt = time.Time{} // the last screen has to show the last events
	fmt.Fprint(out, v.draw(ctx, fd, "\n"))
	return err
}

// replace puts s in the place of a pending change: a screen need not show every change.
func replace(changes chan *stored, s *stored) {
	select {
	case <-changes:
	default:
	}
	changes <- s
}

func firstOf(changes <-chan *stored, ended <-chan error) (*stored, error) {
	select {
	case s := <-changes:
		return s, nil
	case err := <-ended:
		if err != nil {
			return nil, err
		}
		return <-changes, nil
	}
}

// view is the content of the screen.
type view struct {
	k      *cluster
	s      *stored
	gone   bool
	events []corev1.Event
	readAt time.Time
	style  style
}

// keep draws until the watch ends.
func (v *view) keep(ctx context.Context, out io.Writer, fd int, changes <-chan *stored, ended <-chan error) error {
	for {
		fmt.Fprint(out, home+v.draw(ctx, fd, "\x1b[K\r\n")+clearRest)
		select {
		case s := <-changes:
			v.take(s)
		case err := <-ended:
			select {
			case s := <-changes:
				v.take(s)
			default:
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(drawAgain):
		}
	}
}

func (v *view) take(s *stored) {
	if s == nil {
		v.gone = true
		return
	}
	v.s = s
}

// draw returns the screen.
func (v *view) draw(ctx context.Context, fd int, lineEnd string) string {
	v.readEvents(ctx)
	width, height, err := term.GetSize(fd)
	if err != nil {
		width, height = 80, 24
	}
	return v.style.screen(v.s, v.gone, v.events, width, height, lineEnd)
}

// readEvents reads the events from time to time. If the API server does not answer, or the user has pressed Ctrl-C, the
// previous ones stay.
func (v *view) readEvents(ctx context.Context) {
	if ctx.Err() != nil || time.Since(v.readAt) < lookForEvents {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookForEvents)
	defer cancel()
	if events, err := v.k.sortedEvents(ctx, v.s, object{v1.FrameworkKind, v.s.Name}); err == nil {
		v.events = events
	}
	v.readAt = time.Now()
}
