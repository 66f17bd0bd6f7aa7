package historyclient

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/fake"
)

func serviceOf(namespace, name string) *corev1.Service {
	return &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{componentLabel: component}},
		Spec:       corev1.ServiceSpec{Selector: map[string]string{"app": name}, Ports: []corev1.ServicePort{{Port: 8443}}},
	}
}

func TestFind(t *testing.T) {
	core := fake.NewClientset(serviceOf("a", "history"), serviceOf("b", "one"), serviceOf("b", "two"))
	s, err := find(t.Context(), core, "a")
	require.NoError(t, err)
	require.Equal(t, "history", s.Name)

	// a Service that anybody may have created is named, and not used
	_, err = find(t.Context(), core, "")
	var none *NoServer
	require.ErrorAs(t, err, &none)
	require.Equal(t, NoServer{DefaultNamespace, []string{"a", "b"}}, *none)

	_, err = find(t.Context(), core, "b")
	require.ErrorAs(t, err, new(*SeveralServers))
	require.ErrorContains(t, err, "one, two")
}

func TestAuthorities(t *testing.T) {
	certificate, _ := certificateOf(t, "history.a.svc")
	published := &corev1.ConfigMap{ObjectMeta: serviceOf("a", "history").ObjectMeta, Data: map[string]string{caKey: string(certificate)}}
	unlabelled := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "b", Name: "history"}, Data: published.Data}
	empty := &corev1.ConfigMap{ObjectMeta: serviceOf("c", "history").ObjectMeta}
	core := fake.NewClientset(published, unlabelled, empty)
	for namespace, known := range map[string]bool{"a": true, "b": false, "c": false, "d": false} {
		_, err := authorities(t.Context(), core, serviceOf(namespace, "history"))
		require.Equal(t, !known, errors.Is(err, ErrNoCA), "%s: %v", namespace, err)
	}
}

func TestPodOf(t *testing.T) {
	pod := podWith("history-0", corev1.ConditionTrue)
	for name, c := range map[string]struct {
		target intstr.IntOrString
		want   int32
	}{"none": {intstr.IntOrString{}, 8443}, "a number": {intstr.FromInt32(9), 9}, "a name": {intstr.FromString("https"), 8443}, "an unknown name": {intstr.FromString("no"), 0}} {
		require.Equal(t, c.want, portOf(&corev1.ServicePort{Port: 8443, TargetPort: c.target}, &pod), name)
	}
	core := fake.NewClientset()
	_, _, err := podOf(t.Context(), core, serviceOf("a", "history"))
	require.EqualError(t, err, "none of the 0 Pods of Service history in namespace a is ready")
	without := serviceOf("a", "history")
	without.Spec.Selector = nil
	_, _, err = podOf(t.Context(), core, without)
	require.EqualError(t, err, "service history in namespace a selects no Pods")
}
