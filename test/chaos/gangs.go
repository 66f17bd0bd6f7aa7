package main

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/frameworkcontroller/frameworkcontroller/test/admitter/admission"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// gangScheduler admits gangs, a while after it is asked, and evicts some of them. Its plugin is test/admitter.
type gangScheduler struct {
	admissions dynamic.ResourceInterface
	figures    *figures
}

// newGangScheduler defines the resource by which it is asked.
func newGangScheduler(ctx context.Context, client dynamic.Interface, f *figures) (*gangScheduler, error) {
	return &gangScheduler{client.Resource(admission.Resource).Namespace(namespace), f}, admission.Define(ctx, client)
}

// buildPlugin builds a plugin of the tests beside the others, and returns where it is.
func buildPlugin(ctx context.Context, out, name string) (path string, err error) {
	if path, err = filepath.Abs(filepath.Join(out, name)); err != nil {
		return "", err
	}
	return path, clustertest.Build(ctx, path, "./test/"+name)
}

// work admits waiting attempts until ctx ends. It also admits evicted ones that still exist after a while: an attempt that was evicted
// before the controller had heard of its admission keeps waiting. Outages of the API server are ignored.
func (g *gangScheduler) work(ctx context.Context) {
	for pause(ctx, 300*time.Millisecond) == nil {
		for _, name := range g.inPhase(ctx, "") {
			g.say(ctx, name, admission.Admitted)
		}
		for _, name := range g.inPhase(ctx, admission.Evicted) {
			if rand.IntN(10) == 0 {
				g.say(ctx, name, admission.Admitted)
			}
		}
	}
}

// evict evicts one of the admitted attempts.
func (g *gangScheduler) evict(ctx context.Context, random *rand.Rand) error {
	if admitted := g.inPhase(ctx, admission.Admitted); len(admitted) > 0 {
		g.say(ctx, admitted[random.IntN(len(admitted))], admission.Evicted)
	}
	return nil
}

func (g *gangScheduler) inPhase(ctx context.Context, phase string) (names []string) {
	list, err := g.admissions.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil
	}
	for _, o := range list.Items {
		if is, _, _ := unstructured.NestedString(o.Object, "status", "phase"); is == phase && o.GetDeletionTimestamp() == nil {
			names = append(names, o.GetName())
		}
	}
	return names
}

func (g *gangScheduler) say(ctx context.Context, name, phase string) {
	if admission.Say(ctx, g.admissions, name, admission.Answer{Phase: phase, Message: "as chaos has it"}) == nil {
		g.figures.count("gangs: " + strings.ToLower(phase))
	}
}
