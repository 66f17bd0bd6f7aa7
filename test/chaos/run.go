package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// stage is where everything happens.
type stage struct {
	options
	cluster    *cluster.Cluster
	users      *users
	proxy      *proxy
	controller *controller
	recorder   *checker.Recorder
	saboteur   *saboteur
	figures    *figures
	plans      []plan
}

func run(ctx context.Context, o options) error {
	start := time.Now()
	fmt.Printf("seed %d: %d Frameworks, %s of faults\n", o.seed, o.frameworks, o.faults)
	if err := emptied(o.out); err != nil {
		return err
	}
	s := &stage{options: o, figures: newFigures(), plans: newPlanner(o.seed, o.faults*2/3).plans(o.frameworks)}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.start(ctx); err != nil {
		return err
	}
	defer s.cluster.Stop()
	defer s.proxy.stop()
	defer cancel() // before the cluster goes, so that nobody starts anything in it again
	err := s.play(ctx)
	fmt.Printf("took       %s\n", time.Since(start).Round(time.Second))
	return err
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

// start starts the cluster, the proxy and the controller, and the recorder before there is anything to see.
func (s *stage) start(ctx context.Context) (err error) {
	policy := s.path("audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(checker.AuditPolicy), 0o644); err != nil {
		return err
	}
	s.cluster, err = cluster.Start(ctx, cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy, "--audit-log-path=" + s.path("audit.log"), "--audit-log-maxsize=0",
	}}})
	if err != nil {
		return err
	}
	if err := s.startIn(ctx); err != nil {
		return errors.Join(err, s.cluster.Stop())
	}
	return nil
}

func (s *stage) startIn(ctx context.Context) error {
	core, err := kubernetes.NewForConfig(s.cluster.Config)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(s.cluster.Config)
	if err != nil {
		return err
	}
	s.users = &users{core: core, frameworks: client.Resource(v1.SchemeGroupVersion.WithResource(v1.FrameworkPlural)).Namespace(namespace)}
	if s.proxy, err = startProxy(s.cluster.Config, s.seed, s.figures); err != nil {
		return err
	}
	if s.controller, err = newController(s.cluster, s.binary, s.proxy.url, s.path("controller.log")); err != nil {
		return err
	}
	if err := s.controller.start(); err != nil {
		return err
	}
	s.saboteur = &saboteur{cluster: s.cluster, core: core, controller: s.controller, figures: s.figures, seed: s.seed,
		prone: map[string]bool{}, took: map[string]int{}}
	for _, p := range s.plans {
		s.saboteur.prone[p.name] = p.prone
	}
	go finishDeletions(ctx, core)
	if err := attend(ctx, s.cluster.Dir, s.figures); err != nil {
		return err
	}
	if err := s.await(ctx, time.Minute, s.defined); err != nil {
		return errors.Join(fmt.Errorf("waiting for the controller to define Frameworks: %w", err), s.controller.failed())
	}
	s.recorder, err = checker.Record(ctx, s.cluster.Config)
	return err
}

func (s *stage) defined(ctx context.Context) error {
	_, err := s.users.frameworks.List(ctx, metav1.ListOptions{Limit: 1})
	return err
}

// play goes from the first Framework to the verdict.
func (s *stage) play(ctx context.Context) error {
	played := make(chan error, 1)
	users, cancel := context.WithTimeout(ctx, s.faults+s.patience)
	defer cancel()
	go func() { played <- s.users.play(users, s.plans) }()
	if err := s.badTime(ctx); err != nil {
		return err
	}
	calm := time.Now()
	if err := <-played; err != nil {
		return err
	}
	problems := s.ends(ctx)
	fmt.Printf("ends       %d Frameworks as expected, %s after the last fault\n", len(s.plans)-len(problems), time.Since(calm).Round(time.Second/10))
	if err := s.controller.failed(); err != nil {
		problems = append(problems, err.Error())
	}
	settled := s.recorder.History()
	problems = append(problems, s.nothingLeft(ctx)...)
	s.controller.end(syscall.SIGTERM)
	problems = append(problems, s.check(settled)...)
	s.figures.print(os.Stdout)
	if len(problems) > 0 {
		return fmt.Errorf("%d problems:\n%s", len(problems), strings.Join(problems, "\n"))
	}
	return nil
}

// badTime lasts as long as there are faults.
func (s *stage) badTime(ctx context.Context) error {
	if s.calm {
		return nil
	}
	bad, cancel := context.WithTimeout(ctx, s.faults)
	defer cancel()
	s.proxy.hostile.Store(true)
	defer s.proxy.hostile.Store(false)
	err := errors.Join(s.saboteur.work(bad, s.options), s.controller.failed())
	if s.serverKill > 0 {
		s.renewGarbageCollector()
	}
	return err
}

// renewGarbageCollector kills it, and whoever attends to it starts it again. What it knows of objects may have suffered
// when API servers were killed, so that it leaves a ConfigMap terminating for ever.
func (s *stage) renewGarbageCollector() {
	if _, err := s.cluster.Kill("kube-controller-manager"); err == nil {
		s.figures.count("kills: kube-controller-manager")
	}
}

// ends waits until every Framework has its end, and returns which have not.
func (s *stage) ends(ctx context.Context) []string {
	var problems []string
	s.await(ctx, s.patience, func(ctx context.Context) error {
		var err error
		if problems, err = s.differences(ctx); err != nil {
			problems = []string{err.Error()}
		}
		if len(problems) > 0 {
			return errors.New("not yet")
		}
		return nil
	})
	return problems
}

func (s *stage) differences(ctx context.Context) ([]string, error) {
	list, err := s.users.frameworks.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	there := map[string]*v1.Framework{}
	for _, o := range list.Items {
		f := &v1.Framework{}
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, f); err != nil {
			return nil, fmt.Errorf("%s: %w", o.GetName(), err)
		}
		there[f.Name] = f
	}
	var out []string
	for _, p := range s.plans {
		var status *v1.FrameworkStatus
		f, exists := there[p.name]
		if exists {
			status = f.Status
		}
		taken := s.saboteur.tookFrom(p.name)
		if d := p.want.compare(status, exists, taken); len(d) > 0 {
			out = append(out, fmt.Sprintf("%s: %s (others deleted %d of its objects)", p.name, strings.Join(d, "; "), taken))
		}
	}
	return out, nil
}

// nothingLeft deletes all Frameworks, and returns what is not gone some time later.
func (s *stage) nothingLeft(ctx context.Context) []string {
	foreground := metav1.DeletePropagationForeground
	options := metav1.DeleteOptions{PropagationPolicy: &foreground}
	if err := s.users.frameworks.DeleteCollection(ctx, options, metav1.ListOptions{}); err != nil {
		return []string{err.Error()}
	}
	err := s.await(ctx, s.patience, func(ctx context.Context) error {
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

// left names the Frameworks that are there, all Pods, and the ConfigMaps that were made for Frameworks.
func (s *stage) left(ctx context.Context) (out []string, err error) {
	frameworks, err := s.users.frameworks.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	pods, err := s.users.core.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	configMaps, err := s.users.core.CoreV1().ConfigMaps(namespace).List(ctx, metav1.ListOptions{LabelSelector: v1.KeyFrameworkName})
	if err != nil {
		return nil, err
	}
	for _, o := range frameworks.Items {
		out = append(out, "Framework "+o.GetName())
	}
	for _, o := range pods.Items {
		out = append(out, "Pod "+o.Name)
	}
	for _, o := range configMaps.Items {
		out = append(out, "ConfigMap "+o.Name)
	}
	return out, nil
}

// await tries until there is no error any more, or time is over.
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
