package kubectl

import (
	"cmp"
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// taskPod is the Pod of a Task.
type taskPod struct {
	*corev1.Pod
	role  string
	index int32
}

// pods lists the Pods of the chosen Tasks, or of all Tasks by default, in the order of roles and indices.
func (k *cluster) pods(ctx context.Context, name string, chosen []target) (pods []taskPod, err error) {
	_, err = k.eachPod(ctx, name, func(p *corev1.Pod) {
		if pod, ok := podOfTask(p, name, chosen); ok {
			pods = append(pods, pod)
		}
	})
	slices.SortFunc(pods, func(a, b taskPod) int { return cmp.Or(cmp.Compare(a.role, b.role), cmp.Compare(a.index, b.index)) })
	return pods, err
}

// podOfTask identifies the Task of a Pod; ok is false if no chosen Task owns it.
func podOfTask(p *corev1.Pod, framework string, chosen []target) (pod taskPod, ok bool) {
	role, index, ok := v1.ParsePodName(framework, p.Name)
	covers := func(a target) bool { return a.role == role && (a.index < 0 || a.index == index) }
	return taskPod{p, role, index}, ok && (len(chosen) == 0 || slices.ContainsFunc(chosen, covers))
}

// podsPerPage is the number of Pods in one page of a list. Each may have some ten KiB.
const podsPerPage = 500

// ofFramework selects the Pods with the label of a Framework.
func ofFramework(name string) string { return v1.KeyFrameworkName + "=" + name }

// eachPod visits the Pods with the label of a Framework, and returns the resource version from which to watch them.
func (k *cluster) eachPod(ctx context.Context, name string, visit func(*corev1.Pod)) (version string, err error) {
	o := metav1.ListOptions{LabelSelector: ofFramework(name), Limit: podsPerPage}
	for {
		page, err := k.podPage(ctx, o)
		if err != nil {
			return "", err
		}
		for i := range page.Items {
			visit(&page.Items[i])
		}
		if o.Continue = page.Continue; o.Continue == "" {
			return page.ResourceVersion, nil
		}
	}
}

func (k *cluster) podPage(ctx context.Context, o metav1.ListOptions) (*corev1.PodList, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	page, err := k.core.CoreV1().Pods(k.namespace).List(ctx, o)
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	return page, nil
}
