package portal

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/client/clientset/versioned"
)

// The platform's own label and annotations on its Frameworks.
const (
	OwnerLabel       = "portal.example.com/owner"
	keyAnnotation    = "portal.example.com/key"
	digestAnnotation = "portal.example.com/digest"
)

// ErrOtherJob means that the owner has submitted another job with the same key.
var ErrOtherJob = errors.New("the key belongs to another job")

// Job is a job of a user of the platform.
type Job struct {
	// Owner is the user, as a label value.
	Owner string
	// Key is unique among the jobs of an owner. The platform stores it before it calls Submit, so that it knows it after a crash.
	Key     string
	Image   string
	Command []string
	Workers int32
	// Retries is the number of failures of a worker that are retried.
	Retries int32
}

// Portal runs the jobs of one namespace.
type Portal struct {
	clientset versioned.Interface
	namespace string
	// firstPause is the time before a request is repeated. It doubles with each repetition, up to half a minute.
	firstPause time.Duration
}

// New returns the Portal of a namespace.
func New(clientset versioned.Interface, namespace string) *Portal {
	return &Portal{clientset: clientset, namespace: namespace, firstPause: time.Second}
}

// Submit creates the Framework of a job, or returns the one that an earlier call has created. It repeats requests that may succeed
// later, until ctx is done.
func (p *Portal) Submit(ctx context.Context, job Job) (*v1.Framework, error) {
	want, err := frameworkOf(job)
	if err != nil {
		return nil, err
	}
	pause := wait.Backoff{Duration: p.firstPause, Factor: 2, Jitter: 0.2, Steps: 1000, Cap: 30 * time.Second}
	for {
		f, err := p.create(ctx, want)
		if err == nil || !mayPass(err) {
			return f, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w; the last answer: %w", ctx.Err(), err)
		case <-time.After(pause.Step()):
		}
	}
}

// errLater is for a state of the cluster that passes.
var errLater = errors.New("try again")

func (p *Portal) create(ctx context.Context, want *v1.Framework) (*v1.Framework, error) {
	frameworks := p.clientset.FrameworkControllerV1().Frameworks(p.namespace)
	f, err := frameworks.Create(ctx, want, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
	if !apierrors.IsAlreadyExists(err) {
		return f, err
	}
	// The answer to an earlier request was lost, or the key is used twice.
	f, err = frameworks.Get(ctx, want.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%s is gone just now: %w", want.Name, errLater)
	case err != nil:
		return nil, err
	case f.Annotations[digestAnnotation] != want.Annotations[digestAnnotation]:
		return nil, fmt.Errorf("%s: %w", want.Name, ErrOtherJob)
	case f.DeletionTimestamp != nil:
		return nil, fmt.Errorf("%s is being deleted: %w", want.Name, errLater)
	}
	return f, nil
}

// mayPass reports whether the same request may succeed later. The API server's word against a request is final; everything else,
// such as a lost connection, leaves open whether the request was carried out.
func mayPass(err error) bool {
	if status := apierrors.APIStatus(nil); errors.As(err, &status) {
		code := status.Status().Code
		return code == 429 || code >= 500
	}
	return !errors.Is(err, ErrOtherJob) && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
}

// Stop ends a job for good, and keeps its Framework to be looked at. A second Stop changes nothing.
func (p *Portal) Stop(ctx context.Context, name string) error {
	_, err := p.clientset.FrameworkControllerV1().Frameworks(p.namespace).Patch(ctx, name, types.MergePatchType,
		[]byte(`{"spec":{"executionType":"Stop"}}`), metav1.PatchOptions{})
	return err
}

// NameOf is the name of a job's Framework: the same for the same owner and key. It begins with a letter, has letters and digits
// only, and is short, so that the Pods' names are valid host names.
func NameOf(owner, key string) string {
	sum := sha256.Sum256([]byte(owner + "\x00" + key))
	return "j" + hex.EncodeToString(sum[:10])
}

// frameworkOf sets each field whose zero is not its default: what a Go struct leaves out is sent as 0.
func frameworkOf(job Job) (*v1.Framework, error) {
	text, err := json.Marshal(job)
	if err != nil {
		return nil, err
	}
	digest := sha256.Sum256(text)
	template, err := json.Marshal(corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers: []corev1.Container{{
			Name: "main", Image: job.Image, Command: job.Command,
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError, // the last lines reach the status
		}},
	}})
	if err != nil {
		return nil, err
	}
	day := int32(24 * 60 * 60)
	return &v1.Framework{
		ObjectMeta: metav1.ObjectMeta{
			Name:        NameOf(job.Owner, job.Key),
			Labels:      map[string]string{OwnerLabel: job.Owner},
			Annotations: map[string]string{keyAnnotation: job.Key, digestAnnotation: hex.EncodeToString(digest[:])},
		},
		Spec: v1.FrameworkSpec{
			ExecutionType:           v1.ExecutionStart,
			TTLSecondsAfterFinished: &day,
			TaskRoles: []v1.TaskRoleSpec{{
				Name:       "worker",
				TaskNumber: job.Workers,
				FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{
					MinFailedTaskCount:    1,
					MinSucceededTaskCount: job.Workers,
				},
				Task: v1.TaskSpec{
					RetryPolicy: v1.RetryPolicySpec{FancyRetryPolicy: true, MaxRetryCount: job.Retries},
					Pod:         v1.PodTemplate(template),
				},
			}},
		},
	}, nil
}
