package cluster

// NativeGangs are the ComponentArgs of a cluster whose scheduler places gangs: Kubernetes' own gang scheduling. It has another
// API in each release. The caller may change the map.
func NativeGangs(r Release) map[string][]string {
	if r == Oldest {
		return map[string][]string{
			"kube-apiserver": {"--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1alpha1=true"},
			"kube-scheduler": {"--feature-gates=GenericWorkload=true,GangScheduling=true"},
		}
	}
	const gate = "--feature-gates=GenericWorkload=true"
	return map[string][]string{
		"kube-apiserver":          {gate, "--runtime-config=scheduling.k8s.io/v1beta1=true"},
		"kube-controller-manager": {gate}, // it removes the finalizer of PodGroups without Pods
		"kube-scheduler":          {gate},
	}
}
