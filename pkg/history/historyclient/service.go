package historyclient

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/kubernetes"
)

const (
	// DefaultNamespace is the namespace of the manifests. The user has to name another one: otherwise, everybody who may create a Service
	// in some namespace could collect the credentials of all users.
	DefaultNamespace = "frameworkcontroller"
	componentLabel   = "app.kubernetes.io/component"
	component        = "history"
	// caKey of the ConfigMap that has the name and the label of the Service.
	caKey = "ca.crt"
)

// NoServer: a namespace has no Service of a history server.
type NoServer struct {
	Namespace string
	// Others are namespaces that have one, as far as the caller may see.
	Others []string
}

func (e *NoServer) Error() string {
	return fmt.Sprintf("namespace %s has no Service with the label %s=%s", e.Namespace, componentLabel, component)
}

// SeveralServers: a namespace has several.
type SeveralServers struct {
	Namespace string
	Names     []string
}

func (e *SeveralServers) Error() string {
	return fmt.Sprintf("namespace %s has several Services with the label %s=%s: %s", e.Namespace, componentLabel, component, strings.Join(e.Names, ", "))
}

// ErrNoCA: the certificate of the server cannot be verified.
var ErrNoCA = errors.New("no certificate of an authority is published")

var selector = labels.Set{componentLabel: component}.String()

// find returns the Service of a history server.
func find(ctx context.Context, core kubernetes.Interface, namespace string) (*corev1.Service, error) {
	namespace = cmp.Or(namespace, DefaultNamespace)
	list, err := core.CoreV1().Services(namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, err
	}
	switch len(list.Items) {
	case 0:
		return nil, &NoServer{namespace, namespacesOf(ctx, core)}
	case 1:
		return &list.Items[0], nil
	}
	several := &SeveralServers{Namespace: namespace}
	for i := range list.Items {
		several.Names = append(several.Names, list.Items[i].Name)
	}
	return nil, several
}

// namespacesOf returns the namespaces with a history server; none if the caller may not see them.
func namespacesOf(ctx context.Context, core kubernetes.Interface) (names []string) {
	list, err := core.CoreV1().Services(metav1.NamespaceAll).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil
	}
	for i := range list.Items {
		names = append(names, list.Items[i].Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// authorities returns the certificate authorities that may have signed the certificate of the server.
func authorities(ctx context.Context, core kubernetes.Interface, s *corev1.Service) (*x509.CertPool, error) {
	published, err := core.CoreV1().ConfigMaps(s.Namespace).Get(ctx, s.Name, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err):
		return nil, fmt.Errorf("%w: ConfigMap %s in namespace %s does not exist", ErrNoCA, s.Name, s.Namespace)
	case err != nil:
		return nil, err
	case published.Labels[componentLabel] != component:
		return nil, fmt.Errorf("%w: ConfigMap %s in namespace %s has no label %s=%s", ErrNoCA, s.Name, s.Namespace, componentLabel, component)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(published.Data[caKey])) {
		return nil, fmt.Errorf("%w: ConfigMap %s in namespace %s has none in %s", ErrNoCA, s.Name, s.Namespace, caKey)
	}
	return roots, nil
}

// podOf returns a ready Pod of a Service, and its port.
func podOf(ctx context.Context, core kubernetes.Interface, s *corev1.Service) (name string, port int32, err error) {
	if len(s.Spec.Selector) == 0 || len(s.Spec.Ports) == 0 {
		return "", 0, fmt.Errorf("service %s in namespace %s selects no Pods", s.Name, s.Namespace)
	}
	list, err := core.CoreV1().Pods(s.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(s.Spec.Selector).String()})
	if err != nil {
		return "", 0, err
	}
	for i := range list.Items {
		pod := &list.Items[i]
		if port := portOf(&s.Spec.Ports[0], pod); isReady(pod) && port > 0 {
			return pod.Name, port, nil
		}
	}
	return "", 0, fmt.Errorf("none of the %d Pods of Service %s in namespace %s is ready", len(list.Items), s.Name, s.Namespace)
}

func isReady(p *corev1.Pod) bool {
	return p.DeletionTimestamp == nil && slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// portOf returns the port of a Pod to which a port of its Service leads; 0 if the Pod does not have it.
func portOf(p *corev1.ServicePort, pod *corev1.Pod) int32 {
	switch {
	case p.TargetPort.StrVal == "" && p.TargetPort.IntVal == 0:
		return p.Port
	case p.TargetPort.StrVal == "":
		return p.TargetPort.IntVal
	}
	for i := range pod.Spec.Containers {
		for _, c := range pod.Spec.Containers[i].Ports {
			if c.Name == p.TargetPort.StrVal {
				return c.ContainerPort
			}
		}
	}
	return 0
}
