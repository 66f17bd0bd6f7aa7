package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/frameworkcontroller/frameworkcontroller/deploy/crd"
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/checker"
	"github.com/frameworkcontroller/frameworkcontroller/test/cluster"
)

// start starts the cluster, the proxy and the controller, and the recorder before there is anything to see.
func (s *stage) start(ctx context.Context) (err error) {
	policy := s.path("audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(checker.AuditPolicy), 0o644); err != nil {
		return err
	}
	s.cluster, err = cluster.Start(ctx, cluster.Options{Nodes: 3, ComponentArgs: map[string][]string{"kube-apiserver": {
		"--audit-policy-file=" + policy, "--audit-log-path=" + s.path("audit.log"), "--audit-log-maxsize=0",
	}, "kube-controller-manager": {"--vmodule=garbagecollector=5,graph_builder=5"}}})
	if err != nil {
		return err
	}
	if err := s.startIn(ctx); err != nil {
		s.closeHistories()
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
	if err := s.define(ctx, client); err != nil {
		return err
	}
	if s.recorder, err = checker.Record(ctx, s.cluster.Config, checker.RecordOptions{}); err != nil {
		return err
	}
	go (&podRetrier{core: core, figures: s.figures}).work(ctx)
	if err := addSpot(ctx, core); err != nil {
		return err
	}
	if err := addVolumes(ctx, core, volumesPerFramework*len(s.plans)); err != nil {
		return err
	}
	if err := s.users.inherit(ctx, s.plans); err != nil {
		return err
	}
	if s.proxy, err = startProxy(s.cluster.Config, s.seed, s.figures); err != nil {
		return err
	}
	admitter, err := buildPlugin(ctx, s.out, "admitter")
	if err != nil {
		return err
	}
	adviser, err := buildPlugin(ctx, s.out, "adviser")
	if err != nil {
		return err
	}
	contrary, err := buildPlugin(ctx, s.out, "contrary")
	if err != nil {
		return err
	}
	s.losses = &losses{frameworks: s.users.frameworks}
	gangs, err := newGangScheduler(ctx, client, s.figures)
	if err != nil {
		return err
	}
	go gangs.work(ctx)
	if err := s.openHistories(); err != nil {
		return err
	}
	s.controllers = &controllers{cluster: s.cluster, binary: s.binary, address: s.proxy.URL, admitter: admitter, adviser: adviser, contrary: contrary, histories: s.histories, log: s.path("controller"), skew: s.skew,
		figures: s.figures, random: rand.New(rand.NewPCG(s.seed, 3)), ended: func() { s.losses.note(ctx) }}
	author, err := newGreedy(ctx, core, client, s.figures)
	if err != nil {
		return err
	}
	s.injector = &injector{cluster: s.cluster, core: core, controllers: s.controllers, greedy: author, gangs: gangs, histories: s.histories, figures: s.figures, seed: s.seed,
		prone: map[string]bool{}, took: map[string]int{}}
	for _, p := range s.plans {
		s.injector.prone[p.name] = p.prone
	}
	if err := restartComponents(ctx, s.cluster.Dir, s.figures); err != nil {
		return err
	}
	return s.controllers.set(1)
}

// define defines Frameworks, as an administrator may before there is a controller, so that there can be some.
func (s *stage) define(ctx context.Context, client dynamic.Interface) error {
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	force := true
	_, err := crds.Patch(ctx, v1.CRDName, types.ApplyPatchType, crd.Manifest, metav1.PatchOptions{FieldManager: "administrator", Force: &force})
	if err != nil {
		return fmt.Errorf("defining Frameworks: %w", err)
	}
	return s.await(ctx, time.Minute, s.defined)
}

func (s *stage) defined(ctx context.Context) error {
	_, err := s.users.frameworks.List(ctx, metav1.ListOptions{Limit: 1})
	return err
}
