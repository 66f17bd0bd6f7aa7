package kubectl

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/statusjson"
)

// stored is a Framework as the API server has stored it.
type stored struct {
	v1.Framework
	raw json.RawMessage
	// broken is the error of a spec or a status that does not decode; nil if both do.
	broken error
}

// parse decodes a Framework. It fails only if there is no metadata: other errors are kept in broken, for when they matter.
func parse(raw json.RawMessage) (*stored, error) {
	var parts struct {
		metav1.TypeMeta `json:",inline"`
		Metadata        metav1.ObjectMeta `json:"metadata"`
		Spec            json.RawMessage   `json:"spec"`
		Status          json.RawMessage   `json:"status"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, fmt.Errorf("reading a Framework: %w", err)
	}
	s := &stored{raw: raw}
	s.TypeMeta, s.ObjectMeta = parts.TypeMeta, parts.Metadata
	if len(parts.Spec) > 0 {
		if err := json.Unmarshal(parts.Spec, &s.Spec); err != nil {
			s.broken = fmt.Errorf("the spec of Framework %s does not decode: %w", s.Name, err)
		}
	}
	status, err := statusjson.Decode(parts.Status)
	if err != nil {
		s.broken = fmt.Errorf("the status of Framework %s does not decode: %w", s.Name, err)
		return s, nil
	}
	s.Status = status
	s.fillCounts()
	return s, nil
}

// fillCounts counts the Tasks of an object of the original controller, whose status has no counts.
func (s *stored) fillCounts() {
	if s.Status == nil || s.Status.Tasks != nil {
		return
	}
	counts := &v1.TaskCounts{}
	for _, role := range s.Status.AttemptStatus.TaskRoleStatuses {
		for i := range role.TaskStatuses {
			count(counts, explain.StandingOf(&role.TaskStatuses[i]))
		}
	}
	s.Status.Tasks = counts
}

func count(n *v1.TaskCounts, standing explain.Standing) {
	if standing == explain.Removing {
		return
	}
	n.Total++
	switch standing {
	case explain.InTurn:
		n.Waiting++
	case explain.Running:
		n.Running++
	case explain.Succeeded:
		n.Succeeded++
	case explain.Failed:
		n.Failed++
	case explain.CutShort:
		n.Failed++
		n.CutShort++
	}
}

// get reads a Framework whose status must decode.
func (k *cluster) get(ctx context.Context, name string) (*stored, error) {
	s, err := k.getAny(ctx, name)
	if err != nil {
		return nil, err
	}
	if s.broken != nil {
		return nil, coded{fmt.Errorf("%w; see it with: kubectl get fw %s -n %s -o yaml", s.broken, s.Name, s.Namespace), exitBroken}
	}
	return s, nil
}

// getAny reads a Framework, whether or not it decodes.
func (k *cluster) getAny(ctx context.Context, name string) (*stored, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	raw, err := bodyOf(k.frameworks.Get().Namespace(k.namespace).Resource(v1.FrameworkPlural).Name(bare(name)).Do(ctx))
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	return parse(raw)
}

// bodyOf returns the body of an answer. Raw alone does not examine an error.
func bodyOf(r rest.Result) ([]byte, error) {
	if err := r.Error(); err != nil {
		return nil, err
	}
	return r.Raw()
}

// bare removes the kind from a name, as in fw/train.
func bare(name string) string {
	for _, kind := range []string{"fw/", "framework/", "frameworks/", "framework.frameworkcontroller.microsoft.com/"} {
		if rest, ok := strings.CutPrefix(name, kind); ok {
			return rest
		}
	}
	return name
}

// perPage is the number of Frameworks in one page of a list. Each may have some hundred KiB.
const perPage = 200

// listAll reads the Frameworks of a namespace, or of all namespaces if it is empty, sorted by name.
func (k *cluster) listAll(ctx context.Context, namespace, selector string) (all []*stored, err error) {
	o := metav1.ListOptions{LabelSelector: selector, Limit: perPage}
	for {
		page, err := k.listPage(ctx, namespace, o)
		if err != nil {
			return nil, err
		}
		for _, raw := range page.Items {
			s, err := parse(raw)
			if err != nil {
				return nil, err
			}
			all = append(all, s)
		}
		if o.Continue = page.Metadata.Continue; o.Continue == "" {
			return all, nil
		}
	}
}

// rawList is a list, or one page of it, whose objects are not decoded.
type rawList struct {
	Metadata metav1.ListMeta   `json:"metadata"`
	Items    []json.RawMessage `json:"items"`
}

func (k *cluster) listPage(ctx context.Context, namespace string, o metav1.ListOptions) (*rawList, error) {
	ctx, cancel := k.patient(ctx)
	defer cancel()
	request := k.frameworks.Get().Namespace(namespace).Resource(v1.FrameworkPlural).Param("limit", fmt.Sprint(o.Limit))
	if o.Continue != "" {
		request = request.Param("continue", o.Continue)
	}
	if o.LabelSelector != "" {
		request = request.Param("labelSelector", o.LabelSelector)
	}
	raw, err := bodyOf(request.Do(ctx))
	if err != nil {
		return nil, k.inPlainWords(err)
	}
	var list rawList
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("reading a list of Frameworks: %w", err)
	}
	return &list, nil
}
