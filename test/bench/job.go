package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// job runs the Pods of a work as Indexed Jobs of Kubernetes, one for each Framework, with all Pods at once. The Job controller keeps
// the Pods of a Job that is complete, so the end of life is until all Jobs are complete.
func (b *bench) job(ctx context.Context, w work) (r sample, err error) {
	jobs, err := newJobs(ctx, b, w)
	if err != nil {
		return r, err
	}
	defer jobs.stop()
	if err := settle(ctx, b.cluster); err != nil {
		return r, err
	}
	before, err := b.look(ctx, nil)
	if err != nil {
		return r, err
	}
	return r, inOrder(
		func() error {
			return b.toRunning(ctx, w, &r, func(ctx context.Context) error { return each(ctx, jobs.specs, jobs.create) })
		},
		func() error { return b.countToRun(ctx, nil, before, &r) },
		func() error { return jobs.end(ctx, &r) },
		func() error { return b.count(ctx, nil, before, &r) },
		func() error { return each(ctx, jobs.specs, jobs.delete) },
		func() error { return b.pods.awaitPresent(ctx, 0) },
	)
}

// jobs holds the Jobs of one run, and the number of complete ones.
type jobs struct {
	*bench
	client   kubernetes.Interface
	specs    []*batchv1.Job
	complete board[int]
	stop     func()
}

func newJobs(ctx context.Context, b *bench, w work) (*jobs, error) {
	client, err := kubernetes.NewForConfig(protobuf(b.cluster.Config))
	if err != nil {
		return nil, err
	}
	specs, err := w.jobs()
	if err != nil {
		return nil, err
	}
	j := &jobs{bench: b, client: client, specs: specs, complete: newBoard(0)}
	return j, j.watch(ctx)
}

// jobs returns one Job for each Framework, with the same Pods.
func (w work) jobs() (out []*batchv1.Job, err error) {
	var pod corev1.PodTemplateSpec
	if err := json.Unmarshal([]byte(template), &pod); err != nil {
		return nil, err
	}
	indexed, number := batchv1.IndexedCompletion, int32(w.tasks)
	for i := range w.frameworks {
		out = append(out, &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("job%d", i), Namespace: namespace},
			Spec: batchv1.JobSpec{
				CompletionMode: &indexed,
				Completions:    &number,
				Parallelism:    &number,
				Template:       pod,
			},
		})
	}
	return out, nil
}

func (j *jobs) watch(ctx context.Context) error {
	factory := informers.NewSharedInformerFactoryWithOptions(j.client, 0, informers.WithNamespace(namespace))
	informer := factory.Batch().V1().Jobs().Informer()
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(before, after any) {
		if !isComplete(before.(*batchv1.Job)) && isComplete(after.(*batchv1.Job)) {
			j.complete.change(func(n *int) { *n++ })
		}
	}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	j.stop = func() { cancel(); factory.Shutdown() }
	factory.Start(ctx.Done())
	cache.WaitForCacheSync(ctx.Done(), informer.HasSynced)
	return nil
}

func isComplete(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if c.Type == batchv1.JobComplete && c.Status == corev1.ConditionTrue {
			return true
		}
	}
	return false
}

// end makes all Pods succeed, and waits until all Jobs are complete.
func (j *jobs) end(ctx context.Context, r *sample) error {
	pods := j.pods.list()
	start := time.Now()
	err := inOrder(
		func() error { return each(ctx, pods, j.bare.succeed) },
		func() error {
			return j.complete.await(ctx, "all Jobs to be complete", func(n int) bool { return n == len(j.specs) })
		},
	)
	r.End = since(start)
	return err
}

func (j *jobs) create(ctx context.Context, job *batchv1.Job) error {
	_, err := j.client.BatchV1().Jobs(namespace).Create(ctx, job, metav1.CreateOptions{})
	return err
}

func (j *jobs) delete(ctx context.Context, job *batchv1.Job) error {
	background := metav1.DeletePropagationBackground
	return j.client.BatchV1().Jobs(namespace).Delete(ctx, job.Name, metav1.DeleteOptions{PropagationPolicy: &background})
}

// jobRows compare Kubernetes' own Job controller with the floor, in the column of the product.
func (w workRuns) jobRows() []row {
	if len(w.Job) == 0 {
		return nil
	}
	return []row{
		compare(w.Work+": apply -> all Running, by Jobs of Kubernetes", w.Floor, w.Job, func(r sample) float64 { return float64(r.Running) }).startOf(w.work, jobSide),
		compare(w.Work+": apply -> all Running, by Jobs of Kubernetes, at one speed", w.Floor, w.Job, w.evenRunning()).forChange(),
		compare(w.Work+": all succeeded -> all Jobs complete, Pods kept", w.Floor, w.Job, func(r sample) float64 { return float64(r.End) }),
	}
}
