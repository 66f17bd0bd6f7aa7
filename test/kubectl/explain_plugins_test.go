package kubectl

import (
	"context"
	"os"
	"strings"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/dynamic"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/test/admitter/admission"
	"github.com/frameworkcontroller/frameworkcontroller/test/clustertest"
)

// extraPlugins adds plugins to the configuration. They come after the plugins of the default configuration, so that only Frameworks that
// choose them ask them; or they have no opinion unless they are chosen.
func extraPlugins(ctx context.Context, dir string) (edit func(config string) (string, error), err error) {
	if err := clustertest.Build(ctx, dir+"/", "../../example/plugin/go-classifier"); err != nil {
		return nil, err
	}
	if err := clustertest.Build(ctx, dir+"/", "../admitter"); err != nil {
		return nil, err
	}
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	list := strings.NewReplacer("DIR", dir, "OWN", own).Replace(`
- {name: licenses, kind: FailureClassifier, command: DIR/go-classifier}
- {name: crashing, kind: FailureClassifier, command: OWN, env: {` + misbehaviour + `: crashes}, failurePolicy: Wait}
- {name: skipped, kind: FailureClassifier, command: OWN, env: {` + misbehaviour + `: lies}}
- {name: witness, kind: FailureClassifier, command: OWN, env: {` + witness + `: "230"}}
- {name: shade, kind: FailureClassifier, shadow: true, command: OWN, env: {` + witness + `: "231"}}
- {name: leader, kind: CompletionPolicy, command: completion-leader}
- {name: admitter, kind: SchedulerHints, command: DIR/admitter}
- {name: hived, kind: SchedulerHints, command: hints-hived}
- {name: volcano, kind: SchedulerHints, command: hints-volcano}

podFailureSpec:`)
	return func(config string) (string, error) { return strings.Replace(config, "\npodFailureSpec:", list, 1), nil }, nil
}

// Situations in which plugins have decided, or should have.
var pluginSituations = []situation{
	{name: "judgedbyplugin", spec: specOf("plugins: [{name: licenses}]",
		role{simulated: []string{"run-for=2s", "exit-code=42"}, retry: "fancyRetryPolicy: true, backoff: {initialDelaySec: 600}"}), until: tasksIn(v1.AttemptCompleted), asks: []string{"worker-0"}},
	{name: "plugincrashes", spec: specOf("plugins: [{name: crashing}]", role{simulated: []string{"run-for=5s", "exit-code=7"}}), until: waits("PluginUnavailable"), asks: []string{"worker-0"},
		either: strings.NewReplacer("is not asked about this Framework for a while, because several such questions got no answer or ended the process; the last: ", "")},
	{name: "pluginskipped", spec: specOf("plugins: [{name: skipped}]", role{simulated: ends("7")}), until: completed},
	{name: "pluginrefuses", spec: specOf("plugins: [{name: leader, parameters: {leader: {role: boss}}}]", role{simulated: []string{"run-for=5s"}}), until: waits("PluginRefused")},
	{name: "leaderended", spec: specOf("plugins: [{name: leader, parameters: {leader: {role: worker}}}]", role{simulated: atOnce}, role{name: "ps"}), until: completed},
	{name: "hintsrefused", spec: specOf("plugins: [{name: hived}]", role{container: `resources: {limits: {nvidia.com/gpu: "1"}}`}), until: waits("HintsRefused"), asks: []string{"worker"}},
	{name: "novolcano", spec: specOf("plugins: [{name: volcano}], scheduling: {queue: research, gang: {minTasks: 2}}", role{tasks: 2}), until: waits("HintsObjectsFailed")},
	{name: "queued", spec: specOf("plugins: [{name: admitter}], scheduling: {queue: research}", role{tasks: 2}), until: waits("SchedulerNotReady"), asks: []string{"worker-1", "worker"}},
	{name: "takenback", spec: specOf("plugins: [{name: admitter}], scheduling: {queue: research}, retryPolicy: {fancyRetryPolicy: true}", role{tasks: 2}),
		until: func(f *v1.Framework) bool {
			return waits("SchedulerNotReady")(f) && f.Status.RetryPolicyStatus.TotalRetriedCount == 1
		},
		told: []string{"Retried", "PodDeleted"}, does: func(s *scene, name string) {
			s.admits(name, admission.Answer{Phase: admission.Admitted})
			s.until(name, "running", runs)
			s.admits(name, admission.Answer{Phase: admission.Evicted, Message: "queue research lends nothing any more"})
		}},
}

// admits answers for the scheduler, about the first attempt of a Framework.
func (s *scene) admits(name string, a admission.Answer) {
	s.Helper()
	client, err := dynamic.NewForConfig(kube.Config)
	require.NoError(s, err)
	clustertest.Eventually(s.T, patience, func(ctx context.Context) error {
		return admission.Say(ctx, client.Resource(admission.Resource).Namespace(s.namespace), name+"-0", a)
	})
}

// defineAdmissions defines the objects of the scheduler that the situations play.
func defineAdmissions(ctx context.Context) error {
	client, err := dynamic.NewForConfig(kube.Config)
	if err != nil {
		return err
	}
	return admission.Define(ctx, client)
}
