package e2e

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// requireReach checks addresses, one per line, each followed by the Pods to which it must lead. Some Pod must have an address with a port
// in its environment, commands or arguments.
//
//	worker-0.example:2222  example-worker-0
//	example:80             example-server-0 example-server-1
func (s *story) requireReach(pods map[string]*corev1.Pod, reach string) {
	s.t.Helper()
	var told strings.Builder
	for _, pod := range pods {
		told.WriteString(s.told(pod))
	}
	for line := range strings.Lines(strings.TrimSpace(reach)) {
		fields := strings.Fields(line)
		address, want := fields[0], fields[1:]
		got, err := s.lookUp(address, pods)
		if err != nil || !slices.Equal(got, want) {
			s.t.Errorf("%s leads to %q, want %q: %v", address, got, want, err)
		}
		if strings.Contains(address, ":") && !strings.Contains(told.String(), address) {
			s.t.Errorf("no Pod is told of %s", address)
		}
	}
}

// lookUp returns the names of the Pods to which {service}[:port] or {host}.{service}[:port] leads, as the DNS of a cluster and its network
// would resolve it.
func (s *story) lookUp(address string, pods map[string]*corev1.Pod) ([]string, error) {
	name, port, hasPort := strings.Cut(address, ":")
	host, subdomain, ofOne := strings.Cut(name, ".")
	if !ofOne {
		subdomain = host
	}
	service, err := core.CoreV1().Services(s.namespace).Get(s.t.Context(), subdomain, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	found := selected(service, pods)
	if ofOne {
		if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
			return nil, fmt.Errorf("gives no names to Pods that are not ready: %+v", service.Spec)
		}
		maps.DeleteFunc(found, func(_ string, p *corev1.Pod) bool { return p.Spec.Hostname != host || p.Spec.Subdomain != subdomain })
	}
	if hasPort {
		if err := requirePort(service, found, port); err != nil {
			return nil, err
		}
	}
	return slices.Sorted(maps.Keys(found)), nil
}

func selected(service *corev1.Service, pods map[string]*corev1.Pod) map[string]*corev1.Pod {
	selector := labels.SelectorFromSet(service.Spec.Selector)
	found := maps.Clone(pods)
	maps.DeleteFunc(found, func(_ string, p *corev1.Pod) bool { return !selector.Matches(labels.Set(p.Labels)) })
	return found
}

// requirePort: the Pods listen on the port of the Service. A headless Service does not translate ports, so it need not name the port.
func requirePort(service *corev1.Service, pods map[string]*corev1.Pod, port string) error {
	target, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	if service.Spec.ClusterIP != corev1.ClusterIPNone {
		i := slices.IndexFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return int(p.Port) == target })
		if i < 0 {
			return fmt.Errorf("the Service has no port %s", port)
		}
		target = service.Spec.Ports[i].TargetPort.IntValue()
	}
	for name, pod := range pods {
		listens := func(c corev1.Container) bool {
			return slices.ContainsFunc(c.Ports, func(p corev1.ContainerPort) bool { return int(p.ContainerPort) == target })
		}
		if !slices.ContainsFunc(pod.Spec.Containers, listens) {
			return fmt.Errorf("nothing in Pod %s listens on port %d", name, target)
		}
	}
	return nil
}
