package alike_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/timestamppb"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

func at(second int64) *timestamppb.Timestamp { return timestamppb.New(time.Unix(second, 1000)) }

// question is about a Pod that differs from others by a suffix, and by times.
func question(suffix string, index int32, second int64) *pluginpb.FailedPod {
	return &pluginpb.FailedPod{
		Uid: "P" + suffix, Name: "f-w-" + suffix, TaskRole: "w", TaskIndex: index, TaskAttemptId: 2, Node: "n", Reason: "Evicted",
		Framework:  &pluginpb.Framework{Namespace: "ns", Name: "f", Uid: "F", AttemptId: 1},
		Labels:     map[string]string{"app": "a", v1.KeyTaskIndex: suffix},
		Conditions: []*pluginpb.PodCondition{{Type: "Ready", LastTransitionTime: at(second)}, {Type: "Initialized"}},
		Containers: []*pluginpb.Container{{Name: "main", Terminated: &pluginpb.Terminated{ExitCode: 7, FinishedAt: at(second + 1)}}, {Name: "idle"}},
		Earlier:    []*pluginpb.EarlierVerdict{{Code: 7, CompletionTime: at(second - 9)}},
		Pending:    &pluginpb.PendingPod{Since: at(second - 5), Now: at(second)},
	}
}

func TestQuestionsAboutAlikePods(t *testing.T) {
	a, b := question("0", 0, 100), question("1", 1, 200)
	before := proto.CloneOf(a)
	common, own := alike.Split(a)
	other, _ := alike.Split(b)
	require.True(t, proto.Equal(before, a), "the question is changed")
	require.True(t, proto.Equal(common, other), "%v\n%v", common, other)
	require.Equal(t, alike.Digest(a), alike.Digest(b))

	// Storing a question as JSON changes nothing.
	text, err := json.Marshal(own)
	require.NoError(t, err)
	var read alike.Own
	require.NoError(t, json.Unmarshal(text, &read))
	require.True(t, proto.Equal(a, alike.Join(common, read)), "%s", text)
	require.True(t, proto.Equal(&pluginpb.FailedPod{}, alike.Join(&pluginpb.FailedPod{}, alike.Own{})), "nothing is invented")
}

func TestQuestionsThatDiffer(t *testing.T) {
	is := alike.Digest(question("0", 0, 100))
	for name, change := range map[string]func(*pluginpb.FailedPod){
		"node":      func(q *pluginpb.FailedPod) { q.Node = "m" },
		"exit code": func(q *pluginpb.FailedPod) { q.Containers[0].Terminated.ExitCode = 8 },
		"label":     func(q *pluginpb.FailedPod) { q.Labels["app"] = "b" },
		"attempt":   func(q *pluginpb.FailedPod) { q.TaskAttemptId++ },
		"earlier":   func(q *pluginpb.FailedPod) { q.Earlier[0].Code = 8 },
	} {
		q := question("0", 0, 100)
		change(q)
		require.NotEqual(t, is, alike.Digest(q), name)
	}
}

func pod(suffix, node string) *corev1.Pod {
	own := func(name string) corev1.EnvVar { return corev1.EnvVar{Name: name, Value: suffix} }
	token := "kube-api-access-" + suffix
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "f-w-" + suffix, Namespace: "ns", UID: types.UID(suffix), ResourceVersion: suffix, Labels: map[string]string{"app": "a", v1.KeyPodName: suffix},
			Annotations: map[string]string{"note": "x", "kubectl.kubernetes.io/last-applied-configuration": "secret"}, OwnerReferences: []metav1.OwnerReference{{UID: "C"}},
		},
		Spec: corev1.PodSpec{
			NodeName: node, Hostname: "f-w-" + suffix,
			Volumes: []corev1.Volume{{Name: token}, {Name: "data"}},
			Containers: []corev1.Container{{
				Name: "main", Image: "app:1", Args: []string{"--lr", "1"}, VolumeMounts: []corev1.VolumeMount{{Name: token, MountPath: "/t"}},
				Env: []corev1.EnvVar{own(v1.KeyTaskIndex), {Name: "TOKEN", Value: "secret"},
					{Name: "IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}}},
			}},
			InitContainers:      []corev1.Container{{Name: "i", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "secret"}}}},
			EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "secret"}}}}},
		},
		Status: corev1.PodStatus{Message: "m" + suffix},
	}
}

func TestPods(t *testing.T) {
	for _, environment := range []bool{false, true} {
		p := pod("0", "n")
		a, err := alike.Pod(p, environment)
		require.NoError(t, err)
		require.Equal(t, pod("0", "n"), p, "the Pod is changed")
		b, err := alike.Pod(pod("1", "m"), environment)
		require.NoError(t, err)
		require.Equal(t, string(a.JSON), string(b.JSON))
		require.Equal(t, a.Digest, b.Digest)
		var read corev1.Pod
		require.NoError(t, json.Unmarshal(a.JSON, &read))
		require.Equal(t, "app:1", read.Spec.Containers[0].Image)
		require.Equal(t, []string{"--lr", "1"}, read.Spec.Containers[0].Args)
		require.Equal(t, "status.podIP", read.Spec.Containers[0].Env[2].ValueFrom.FieldRef.FieldPath)
		require.Equal(t, map[string]string{"note": "x"}, read.Annotations)
		if environment {
			require.Equal(t, "secret", read.Spec.EphemeralContainers[0].Env[0].Value)
			require.Empty(t, read.Spec.Containers[0].Env[0].Value, "it belongs to one Task")
		} else {
			require.NotContains(t, string(a.JSON), "secret")
		}
	}
}

func TestFrameworks(t *testing.T) {
	meta := &metav1.ObjectMeta{Namespace: "ns", Name: "f", UID: "F", Labels: map[string]string{"a": "b"},
		Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "secret"}, ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}}
	template := `{"metadata":{"annotations":{"x/last-applied-configuration":"secret","n":"1"}},"spec":{"containers":[{"name":"main","resources":{"limits":{"cpu":1e-2000000000}},
		"env":[{"name":"TOKEN","value":"secret"},{"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"x"}}}]}],"initContainers":[{"env":[{"name":"A","value":"secret"}]}]}}`
	for text, want := range map[string]string{
		template: `{"metadata":{"annotations":{"n":"1"}},"spec":{"containers":[{"env":[{"name":"TOKEN"},{"name":"IP","valueFrom":{"fieldRef":{"fieldPath":"x"}}}],` +
			`"name":"main","resources":{"limits":{"cpu":1e-2000000000}}}],"initContainers":[{"env":[{"name":"A"}]}]}}`,
		`{"spec":{"containers":"secret?"}}`: `{"spec":{"containers":"secret?"}}`,
		`["secret"]`:                        `{}`,
	} {
		spec := &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "w", Task: v1.TaskSpec{Pod: v1.PodTemplate(text)}}}}
		c, err := alike.Framework(meta, spec, false)
		require.NoError(t, err)
		require.NotContains(t, string(c.JSON), `"secret"`)
		require.NotContains(t, string(c.JSON), "managedFields")
		require.Contains(t, string(c.JSON), want)
		require.Equal(t, text, string(spec.TaskRoles[0].Task.Pod), "the template is changed")
	}
	whole, err := alike.Framework(meta, &v1.FrameworkSpec{TaskRoles: []v1.TaskRoleSpec{{Name: "w", Task: v1.TaskSpec{Pod: v1.PodTemplate(template)}}}}, true)
	require.NoError(t, err)
	require.Contains(t, string(whole.JSON), `"value":"secret"`)
}
