package kubectl

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/convert"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// blueprint holds the arguments of create: a Framework in the words of a command line. It is pure: no cluster is asked.
type blueprint struct {
	name, namespace string
	command         []string
	// ROLE=NUMBER.
	roles, succeedAt, failAt []string
	// VALUE for all roles, or ROLE=VALUE for one.
	images, gpus, cpus, memories []string
	gpuResource                  string
	env                          []string // NAME=VALUE
	retries                      int32
	gang                         bool
	gangTimeout                  *time.Duration // nil: the default; 0: forever
	queue                        string
	barrier                      bool
	barrierImage, serviceAccount string
	dns                          bool
}

// Defaults of a blueprint.
const (
	defaultRole          = "worker=1"
	defaultGPUResource   = "nvidia.com/gpu"
	defaultBarrierImage  = "frameworkcontroller/frameworkbarrier:dev" // the name that make images gives
	barrierAccount       = "frameworkbarrier"                         // created by deploy/barrier
	gangTimeoutSec       = 600
	queuedGangTimeoutSec = 1800
)

// Names in the manifest, and the script that starts the command after the barrier.
const (
	createdContainer      = "main"
	barrierName           = "barrier"
	barrierVolume         = "frameworkbarrier"
	barrierDirectory      = "/mnt/frameworkbarrier"
	sourcesAddressesFirst = ". " + barrierDirectory + `/injector.sh && exec "$0" "$@"`
)

// allowedName matches the names of Frameworks and roles. Unlike DNS labels, they have no dashes.
var allowedName = regexp.MustCompile(`^[a-z0-9]{1,63}$`)

// framework makes the Framework. An error names the flag and the way out.
func (b *blueprint) framework() (*v1.Framework, error) {
	if !allowedName.MatchString(b.name) {
		return nil, fmt.Errorf("%q: the name of a Framework has 1 to 63 lower-case letters and digits%s", b.name, suggestion(b.name))
	}
	roles, err := b.taskRoles()
	if err != nil {
		return nil, err
	}
	f := &v1.Framework{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1.SchemeGroupVersion.String(), Kind: v1.FrameworkKind},
		ObjectMeta: metav1.ObjectMeta{Name: b.name, Namespace: b.namespace},
		Spec:       v1.FrameworkSpec{TaskRoles: roles},
	}
	if f.Spec.Scheduling, err = b.scheduling(); err != nil {
		return nil, err
	}
	if b.dns {
		f.Spec.Network = &v1.NetworkSpec{DNS: true}
	}
	if err := b.setRetries(f); err != nil {
		return nil, err
	}
	return f, b.fill(f)
}

// suggestion proposes an allowed name; empty if it finds none.
func suggestion(name string) string {
	plain := convert.PlainName(name)
	if plain == "" {
		return ""
	}
	return ", such as " + plain
}

func (b *blueprint) taskRoles() (roles []v1.TaskRoleSpec, err error) {
	given, total := b.roles, int32(0)
	if len(given) == 0 {
		given = []string{defaultRole}
	}
	for _, arg := range given {
		name, n, err := roleNumber(arg, 1, maxTasks)
		if err != nil {
			return nil, fmt.Errorf("--role %s: %w", arg, err)
		}
		if !allowedName.MatchString(name) {
			return nil, fmt.Errorf("--role %s: the name of a role has 1 to 63 lower-case letters and digits%s", arg, suggestion(name))
		}
		if roleIndex(roles, name) >= 0 {
			return nil, fmt.Errorf("--role %s: role %s is given twice", arg, name)
		}
		if total += n; total > v1.MaxTasks {
			return nil, fmt.Errorf("--role %s: a Framework has at most %d Tasks in all roles", arg, v1.MaxTasks)
		}
		roles = append(roles, v1.TaskRoleSpec{Name: name, TaskNumber: n,
			FrameworkAttemptCompletionPolicy: v1.CompletionPolicySpec{MinFailedTaskCount: 1, MinSucceededTaskCount: -1}})
	}
	return roles, b.setThresholds(roles)
}

// setThresholds applies --succeed-at and --fail-at. Without them, the first failed Task fails the attempt, and all Tasks must
// succeed for its success.
func (b *blueprint) setThresholds(roles []v1.TaskRoleSpec) error {
	for _, arg := range b.succeedAt {
		role, n, err := threshold("succeed-at", arg, roles)
		if err != nil {
			return err
		}
		role.FrameworkAttemptCompletionPolicy.MinSucceededTaskCount = n
	}
	for _, arg := range b.failAt {
		role, n, err := threshold("fail-at", arg, roles)
		if err != nil {
			return err
		}
		role.FrameworkAttemptCompletionPolicy.MinFailedTaskCount = n
	}
	return nil
}

// threshold parses ROLE=NUMBER of a role whose number of Tasks is the limit: a higher number would never be reached.
func threshold(flag, arg string, roles []v1.TaskRoleSpec) (*v1.TaskRoleSpec, int32, error) {
	name, n, err := roleNumber(arg, 1, maxTasks)
	if err != nil {
		return nil, 0, fmt.Errorf("--%s %s: %w", flag, arg, err)
	}
	i := roleIndex(roles, name)
	switch {
	case i < 0:
		return nil, 0, noSuchRole(flag, arg, name, roles)
	case n > roles[i].TaskNumber:
		return nil, 0, fmt.Errorf("--%s %s: role %s has only %s", flag, arg, name, plural(int(roles[i].TaskNumber), "Task"))
	}
	return &roles[i], n, nil
}

func noSuchRole(flag, arg, name string, roles []v1.TaskRoleSpec) error {
	return fmt.Errorf("--%s %s: there is no role %q; add it with --role, or use one of these: %s", flag, arg, name, strings.Join(roleNames(roles), ", "))
}

func (b *blueprint) scheduling() (*v1.SchedulingSpec, error) {
	if !b.gang && b.gangTimeout != nil {
		return nil, errors.New("--gang-timeout limits how long a gang may take to be placed: add --gang")
	}
	if !b.gang && b.queue == "" {
		return nil, nil
	}
	s := &v1.SchedulingSpec{Queue: b.queue}
	if !b.gang {
		return s, nil
	}
	s.Gang = &v1.GangSpec{}
	var err error
	s.TimeoutSec, err = b.gangSeconds()
	return s, err
}

// gangSeconds returns the time for the gang to be placed; nil if it may wait forever.
func (b *blueprint) gangSeconds() (*int32, error) {
	seconds := int32(gangTimeoutSec)
	switch given := b.gangTimeout; {
	case given == nil && b.queue != "":
		seconds = queuedGangTimeoutSec
	case given == nil:
	case *given < 0 || *given > maxThreshold*time.Second || *given%time.Second != 0:
		return nil, fmt.Errorf("--gang-timeout %s: use whole seconds, such as 30m, or 0 to wait forever", *given)
	case *given == 0:
		return nil, nil
	default:
		seconds = int32(*given / time.Second)
	}
	return &seconds, nil
}

// setRetries gives the retries to single Tasks, or to the Framework if its Tasks are useful only together: a Task that is retried alone
// would find its peers gone, or hold resources that they wait for.
func (b *blueprint) setRetries(f *v1.Framework) error {
	if b.retries < -1 {
		return fmt.Errorf("--retries %d: use the number of retries, or -1 for no limit", b.retries)
	}
	f.Spec.RetryPolicy.FancyRetryPolicy = true
	if b.gang || b.barrier {
		f.Spec.RetryPolicy.MaxRetryCount = b.retries
		return nil
	}
	for i := range f.Spec.TaskRoles {
		f.Spec.TaskRoles[i].Task.RetryPolicy = v1.RetryPolicySpec{FancyRetryPolicy: true, MaxRetryCount: b.retries}
	}
	return nil
}

// fill writes the Pod templates.
func (b *blueprint) fill(f *v1.Framework) error {
	roles := f.Spec.TaskRoles
	base, err := b.container()
	if err != nil {
		return err
	}
	images, err := perRole("image", b.images, roles)
	if err != nil {
		return err
	}
	limits, err := b.resources(roles)
	if err != nil {
		return err
	}
	for i := range roles {
		name := roles[i].Name
		main := *base.DeepCopy()
		if main.Image = images.of(name); main.Image == "" {
			return fmt.Errorf("role %s has no image: add --image IMAGE, or --image %s=IMAGE for this role alone", name, name)
		}
		main.Resources = limits[i]
		template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy:      corev1.RestartPolicyNever,
			ServiceAccountName: b.serviceAccount,
			Containers:         []corev1.Container{main},
		}}
		if b.barrier {
			b.addBarrier(&template.Spec)
		}
		if roles[i].Task.Pod, err = json.Marshal(template); err != nil {
			return err
		}
	}
	return nil
}

// container is the main one, without its image and resources.
func (b *blueprint) container() (corev1.Container, error) {
	c := corev1.Container{Name: createdContainer, Command: b.command, TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError}
	for _, arg := range b.env {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || name == "" {
			return c, fmt.Errorf("--env %s: write it as NAME=VALUE, such as EPOCHS=10", arg)
		}
		c.Env = append(c.Env, corev1.EnvVar{Name: name, Value: value})
	}
	if b.barrier && b.barrierImage == "" {
		return c, errors.New("--barrier-image is empty: name the image, or leave out the flag for " + defaultBarrierImage)
	}
	if b.barrier && len(b.command) == 0 {
		return c, errors.New("--barrier needs the command, as a shell reads the addresses and then starts it: add -- COMMAND ARGS, such as the entrypoint of the image")
	}
	return c, nil
}

// addBarrier holds the Pod until all Tasks have addresses, and gives the addresses to the command.
func (b *blueprint) addBarrier(spec *corev1.PodSpec) {
	off := false
	mounts := []corev1.VolumeMount{{Name: barrierVolume, MountPath: barrierDirectory}}
	spec.EnableServiceLinks = &off
	if b.serviceAccount == "" {
		spec.ServiceAccountName = barrierAccount
	}
	spec.InitContainers = []corev1.Container{{Name: barrierName, Image: b.barrierImage, VolumeMounts: mounts, Resources: barrierResources()}}
	spec.Volumes = []corev1.Volume{{Name: barrierVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
	main := &spec.Containers[0]
	main.VolumeMounts = mounts
	main.Command = append([]string{"sh", "-c", sourcesAddressesFirst}, main.Command...)
}

// barrierResources let the barrier into namespaces with a quota. It needs more memory for large Frameworks, so the limit is generous.
func barrierResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m"), corev1.ResourceMemory: resource.MustParse("32Mi")},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("256Mi")},
	}
}

// resources returns the requests and limits of each role. The limit of memory is the request, so that a node never runs short of
// promised memory. CPU has no limit, so that others can use idle CPU.
func (b *blueprint) resources(roles []v1.TaskRoleSpec) ([]corev1.ResourceRequirements, error) {
	all := make([]corev1.ResourceRequirements, len(roles))
	for _, r := range []struct {
		flag, sample   string
		values         []string
		name           corev1.ResourceName
		request, limit bool // which of them the amount sets
		count          bool
	}{
		{flag: "cpu", sample: "4 or 500m", values: b.cpus, name: corev1.ResourceCPU, request: true},
		{flag: "memory", sample: "16Gi", values: b.memories, name: corev1.ResourceMemory, request: true, limit: true},
		{flag: "gpu", sample: "8", values: b.gpus, name: corev1.ResourceName(b.gpuResource), limit: true, count: true},
	} {
		values, err := perRole(r.flag, r.values, roles)
		if err != nil {
			return nil, err
		}
		for i := range roles {
			text := values.of(roles[i].Name)
			if text == "" {
				continue
			}
			q, err := amount(text)
			if err != nil || !allowed(q, r.count) {
				return nil, fmt.Errorf("--%s %s: this is no amount; write it like %s", r.flag, text, r.sample)
			}
			if q.IsZero() {
				continue
			}
			if r.request {
				addTo(&all[i].Requests, r.name, q)
			}
			if r.limit {
				addTo(&all[i].Limits, r.name, q)
			}
		}
	}
	return all, nil
}

func amount(text string) (resource.Quantity, error) {
	if err := quantity.Check(text); err != nil {
		return resource.Quantity{}, err
	}
	return resource.ParseQuantity(text)
}

// allowed reports whether an amount is positive or, for a count, a whole number from 0.
func allowed(q resource.Quantity, count bool) bool {
	if count {
		return q.Sign() >= 0 && q.MilliValue()%1000 == 0
	}
	return q.Sign() > 0
}

func addTo(list *corev1.ResourceList, name corev1.ResourceName, q resource.Quantity) {
	if *list == nil {
		*list = corev1.ResourceList{}
	}
	(*list)[name] = q
}

// valuesOfRoles has the value of a flag for each role. The key "" has the value for all other roles.
type valuesOfRoles map[string]string

func (v valuesOfRoles) of(role string) string {
	if own, ok := v[role]; ok {
		return own
	}
	return v[""]
}

// perRole parses a flag that is VALUE for all roles, or ROLE=VALUE for one.
func perRole(flag string, args []string, roles []v1.TaskRoleSpec) (valuesOfRoles, error) {
	values := valuesOfRoles{}
	for _, arg := range args {
		role, value, isRole := strings.Cut(arg, "=")
		if !isRole {
			role, value = "", arg
		}
		if isRole && roleIndex(roles, role) < 0 {
			return nil, noSuchRole(flag, arg, role, roles)
		}
		if value == "" || strings.ContainsAny(value, " \t\n=") {
			return nil, fmt.Errorf("--%s %q: write it as VALUE for all roles, or ROLE=VALUE for one", flag, arg)
		}
		if _, twice := values[role]; twice {
			return nil, fmt.Errorf("--%s %s: it is given twice%s", flag, arg, scopeOf(role))
		}
		values[role] = value
	}
	return values, nil
}

// scopeOf follows an error about a value, and names the roles that the value is for.
func scopeOf(role string) string {
	if role == "" {
		return " for all roles; write ROLE=VALUE for one"
	}
	return " for role " + role
}
