package kubectl

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyclient"
)

// looking are the flags of the commands that show a Framework of the cluster, or else of the history.
type looking struct {
	historyFlags
	number int32
	uid    string
}

func (l *looking) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int32Var(&l.number, "attempt", -1, "Number of the attempt of the whole Framework, from 0. Earlier attempts are in the history. By default it is the current one.")
	f.StringVar(&l.uid, "uid", "", "UID of a Framework of the history, if it is not the newest of its name; kubectl framework history -o wide shows it.")
	l.addServerFlags(cmd)
}

// found is a Framework, with an attempt.
type found struct {
	// cluster is nil if only the history is known.
	*cluster
	// stored is the Framework in the cluster; nil if it is missing.
	stored *stored
	// past is the history server, and attempt the attempt to show; both nil if it is the current one of the cluster.
	past    *past
	attempt *pastAttempt
}

// close ends the connection to the history server, if there is one.
func (f *found) close() {
	if f.past != nil {
		f.past.Close()
	}
}

// find finds the Framework in the cluster. If it is not there, or the flags ask for an earlier attempt, it is read from the history. The
// caller closes the result.
func (l *looking) find(ctx context.Context, name string) (*found, error) {
	f, err := l.inCluster(ctx, name)
	if err != nil || f.stored != nil && !l.isEarlier(f.stored) {
		return f, err
	}
	return f, l.read(ctx, f, bare(name))
}

// inCluster leaves the Framework out if it is missing, or if the flags ask for another one.
func (l *looking) inCluster(ctx context.Context, name string) (*found, error) {
	if l.serverURL() != "" && !l.hasCluster() {
		return &found{}, nil
	}
	k, err := l.cluster()
	if err != nil {
		return nil, err
	}
	f := &found{cluster: k}
	s, err := k.get(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return f, l.missing(ctx, f, err)
	case err != nil:
		return nil, err
	case l.uid == "" || l.uid == string(s.UID):
		f.stored = s
	}
	return f, nil
}

// hasCluster reports whether a cluster is configured. Otherwise kubectl would try a port of this machine.
func (l *looking) hasCluster() bool {
	config, err := l.flags.ToRawKubeConfigLoader().RawConfig()
	return err != nil || len(config.Clusters) > 0 || valueOf(l.flags.APIServer) != "" || os.Getenv("KUBERNETES_SERVICE_HOST") != ""
}

// missing connects to the history server, as the Framework is not in the cluster. If that fails, that is the error.
func (l *looking) missing(ctx context.Context, f *found, notFound error) (err error) {
	if f.past, err = l.connect(ctx); err != nil {
		return withoutHistory(notFound, err)
	}
	return nil
}

// withoutHistory adds to an error the reason why the history does not help.
func withoutHistory(err, why error) error {
	var none *historyclient.NoServer
	if errors.As(why, &none) && len(none.Others) == 0 {
		return fmt.Errorf("%w; the cluster has no history server that could have kept more", err)
	}
	return fmt.Errorf("%w; the history may have kept more, but cannot be read: %w", err, why)
}

// isEarlier reports whether the flags ask for another attempt than the current one of a Framework.
func (l *looking) isEarlier(s *stored) bool {
	return l.number >= 0 && s.Status != nil && l.number != s.Status.AttemptStatus.ID
}

// read reads the attempt from the history.
func (l *looking) read(ctx context.Context, f *found, name string) (err error) {
	uid := l.uid
	if s := f.stored; s != nil {
		if current := s.Status.AttemptStatus.ID; l.number > current {
			return fmt.Errorf("there is no attempt %d of Framework %s: the current one is %d; earlier Frameworks of that name need --uid", l.number, s.Name, current)
		}
		uid = string(s.UID)
	}
	if f.past == nil {
		if f.past, err = l.connect(ctx); err != nil {
			return err
		}
	}
	f.attempt, err = f.past.attempt(ctx, name, uid, l.number)
	return l.fromHistory(f, name, f.past.inPlainWords(err))
}

// fromHistory reports that a Framework is missing in the cluster, if it is: in the error, or as a note beside the answer.
func (l *looking) fromHistory(f *found, name string, err error) error {
	switch {
	case f.cluster == nil || f.stored != nil:
		return err
	case err != nil:
		return fmt.Errorf("framework %s is not in namespace %s: %w", onOneLine(name), f.namespace(), err)
	}
	_, err = fmt.Fprintf(l.ErrOut, "Framework %s is not in namespace %s. This is from the history.\n", onOneLine(name), f.namespace())
	return err
}

// gone reports whether the Framework is known to be deleted.
func (f *found) gone() bool {
	return f.stored == nil && (f.cluster != nil || f.attempt.Of.State == historyapi.StateDeleted)
}

func (f *found) namespace() string {
	if f.cluster != nil {
		return f.cluster.namespace
	}
	return f.past.namespace
}

// framework returns the Framework of the cluster, or the Framework of the history in its state at the end of the attempt.
func (f *found) framework() *stored {
	if f.attempt != nil {
		return f.attempt.stored()
	}
	return f.stored
}

// parseTarget parses a role or a Task of the Framework.
func (f *found) parseTarget(arg string) (target, error) {
	if f.attempt != nil {
		return f.attempt.parseTarget(arg)
	}
	return f.stored.parseTarget(arg)
}

// document is the header of the documents about it.
func (f *found) document(kind string) document {
	d := documentOf(kind, f.framework())
	d.FromHistory = f.attempt != nil
	return d
}
