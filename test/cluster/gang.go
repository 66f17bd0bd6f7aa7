package cluster

// NativeGangs are the ComponentArgs of a cluster whose scheduler places gangs: Kubernetes' own gang scheduling, which is alpha
// in the version of the tools.
var NativeGangs = map[string][]string{
	"kube-apiserver": {"--feature-gates=GenericWorkload=true", "--runtime-config=scheduling.k8s.io/v1alpha1=true"},
	"kube-scheduler": {"--feature-gates=GenericWorkload=true,GangScheduling=true"},
}
