package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// stage is where everything happens.
type stage struct {
	options
	cluster     *cluster.Cluster
	users       *users
	proxy       *hostileProxy
	controllers *controllers
	recorder    *checker.Recorder
	injector    *injector
	histories   []*historySite
	losses      *losses
	figures     *figures
	plans       []plan
	rehearsed   map[string]string // as returned by endings; nil without a rehearsal
}

func run(ctx context.Context, o options) error {
	start := time.Now()
	defer func() { fmt.Printf("took       %s\n", time.Since(start).Round(time.Second)) }()
	if err := emptied(o.out); err != nil {
		return err
	}
	plans := newPlanner(o.seed, o.faults*2/3).plans(o.frameworks)
	plans = append(plans, newPlanner(o.seed+1, o.faults*2/3).inherited(o.frameworks/10)...)
	plans = append(plans, newPlanner(o.seed+2, time.Second).afterwards(o.faults)...)
	var rehearsed map[string]string
	if o.rehearse && !o.calm {
		var err error
		if rehearsed, err = rehearse(ctx, o, plans); err != nil {
			return fmt.Errorf("without faults: %w", err)
		}
	}
	if o.skew > 0 && !o.calm {
		if err := buildSkewed(ctx, "./cmd/controller", o.binary+"-skewed", o.out); err != nil {
			return err
		}
		o.binary += "-skewed"
	}
	fmt.Printf("seed %d: %d Frameworks, %s of faults\n", o.seed, len(plans), o.faults)
	_, err := perform(ctx, o, plans, rehearsed)
	return err
}

// rehearse lets the same Frameworks live without faults, one soon after the other, and returns how they end.
func rehearse(ctx context.Context, o options, plans []plan) (map[string]string, error) {
	o.calm, o.skew, o.out = true, 0, filepath.Join(o.out, "calm")
	if err := emptied(o.out); err != nil {
		return nil, err
	}
	fmt.Printf("first %d Frameworks without faults\n", len(plans))
	sooner := slices.Clone(plans)
	for i := range sooner {
		sooner[i].begin /= 4
	}
	return perform(ctx, o, sooner, nil)
}

// perform returns how all have ended.
func perform(ctx context.Context, o options, plans []plan, rehearsed map[string]string) (map[string]string, error) {
	s := &stage{options: o, figures: newFigures(), plans: plans, rehearsed: rehearsed}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.start(ctx); err != nil {
		return nil, err
	}
	defer s.cluster.Stop()
	defer s.closeHistories()
	defer s.proxy.Stop()
	defer s.controllers.end(syscall.SIGKILL)
	defer cancel() // before the cluster ends, so that nothing starts anything in it again
	return s.play(ctx)
}

func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o755)
}

func (s *stage) path(name string) string {
	path, _ := filepath.Abs(filepath.Join(s.out, name))
	return path
}

// play goes from the first Framework to the verdict, and returns how all have ended.
func (s *stage) play(ctx context.Context) (map[string]string, error) {
	played := make(chan error, 1)
	users, cancel := context.WithTimeout(ctx, s.faults+s.patience)
	defer cancel()
	go func() { played <- s.users.play(users, s.plans) }()
	if err := s.badTime(ctx); err != nil {
		return nil, err
	}
	faultsEnded := time.Now()
	if err := <-played; err != nil {
		return nil, err
	}
	problems := s.ends(ctx)
	fmt.Printf("ends       %d of %d Frameworks as expected, %s after the last fault\n", len(s.plans)-len(problems), len(s.plans),
		time.Since(faultsEnded).Round(time.Second/10))
	endings, err := s.endings(ctx)
	if err != nil {
		return nil, err
	}
	problems = append(problems, s.compareWithRehearsal(endings)...)
	settled := s.recorder.History()
	problems = append(problems, tellDelays(settled, s.plans)...)
	problems = append(problems, s.remembers(ctx)...)
	problems = append(problems, s.explainsShadows(ctx, settled, faultsEnded)...)
	problems = append(problems, s.shadowsInEvents(ctx)...)
	problems = append(problems, s.nothingLeft(ctx)...)
	problems = append(problems, s.remembersDeletions(ctx)...)
	s.controllers.end(syscall.SIGTERM)
	if err := s.controllers.failed(); err != nil {
		problems = append(problems, err.Error())
	}
	problems = append(problems, s.check(settled)...)
	s.figures.print(os.Stdout)
	if len(problems) > 0 {
		s.keepLogs()
		return nil, fmt.Errorf("%d problems:\n%s", len(problems), strings.Join(problems, "\n"))
	}
	return endings, nil
}

// badTime lasts as long as there are faults: the first half with one controller, which is back at once when it is
// killed, and the second with two that fight for the lease.
func (s *stage) badTime(ctx context.Context) error {
	if s.calm {
		return nil
	}
	s.proxy.hostile.Store(true)
	defer s.proxy.hostile.Store(false)
	for n := range 2 {
		if n > 0 {
			if err := s.controllers.set(1 + n); err != nil {
				return err
			}
		}
		bad, cancel := context.WithTimeout(ctx, s.faults/2)
		err := errors.Join(s.injector.work(bad, s.options), s.controllers.failed())
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// ends waits until every Framework has its end, and returns which have not.
func (s *stage) ends(ctx context.Context) []string {
	var problems []string
	s.await(ctx, s.patience, func(ctx context.Context) error {
		found, err := s.differences(ctx)
		switch {
		case err == nil:
			problems = found
		case ctx.Err() == nil || problems == nil: // the end of ctx has aborted a request, and earlier findings count
			problems = []string{err.Error()}
		}
		if len(problems) > 0 {
			return errors.New("not yet")
		}
		return nil
	})
	return problems
}

// nothingLeft deletes all Frameworks, and returns the objects that are left some time later.
func (s *stage) nothingLeft(ctx context.Context) []string {
	err := errors.Join(s.users.frameworks.DeleteCollection(ctx, inForeground, metav1.ListOptions{}), s.injector.greedy.leave(ctx))
	if err != nil {
		return []string{err.Error()}
	}
	err = s.await(ctx, s.patience, func(ctx context.Context) error {
		left, err := s.left(ctx)
		if err == nil && len(left) > 0 {
			err = fmt.Errorf("left are %s", strings.Join(left, ", "))
		}
		return err
	})
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// left names the existing Frameworks, all Pods, and other objects made for Frameworks.
func (s *stage) left(ctx context.Context) (out []string, err error) {
	core, all, made := s.users.core.CoreV1(), metav1.ListOptions{}, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName}
	note := func(names []string, more error) { out, err = append(out, names...), errors.Join(err, more) }
	note(named(ctx, "Admission", s.injector.gangs.admissions.List, all))
	note(named(ctx, "Framework", s.users.frameworks.List, all))
	note(named(ctx, "Framework", s.injector.greedy.frameworks.List, all))
	note(named(ctx, "Pod", core.Pods(namespace).List, all))
	note(named(ctx, "ConfigMap", core.ConfigMaps(namespace).List, made))
	note(named(ctx, "Service", core.Services(namespace).List, made))
	note(named(ctx, "Secret", core.Secrets(namespace).List, made))
	return out, err
}

// named returns the names of the objects of a kind, with the kind before each.
func named[L runtime.Object](ctx context.Context, kind string, list func(context.Context, metav1.ListOptions) (L, error), o metav1.ListOptions) (names []string, err error) {
	found, err := list(ctx, o)
	if err != nil {
		return nil, err
	}
	err = meta.EachListItem(found, func(item runtime.Object) error {
		object, err := meta.Accessor(item)
		if err == nil {
			names = append(names, kind+" "+object.GetName())
		}
		return err
	})
	return names, err
}

// await tries until there is no error, or patience has passed.
func (s *stage) await(ctx context.Context, patience time.Duration, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		err := try(ctx)
		if err == nil || pause(ctx, 300*time.Millisecond) != nil {
			return err
		}
	}
}
