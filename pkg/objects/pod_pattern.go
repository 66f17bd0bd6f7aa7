package objects

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// podPattern is the pattern of the Pods of a template.
type podPattern struct {
	text       pattern
	containers int // number of containers that get the environment
	vary       []varyingQuantity
}

// newPodPattern builds the pattern of a parsed template, which it consumes.
func newPodPattern(template any, path string, a additions) (*podPattern, error) {
	root, err := asObject(template, path)
	if err != nil {
		return nil, err
	}
	metadata, err := root.object("metadata")
	if err != nil {
		return nil, err
	}
	spec, err := root.object("spec")
	if err != nil {
		return nil, err
	}
	if err := checkContainers(spec); err != nil {
		return nil, err
	}
	vary, err := checkQuantities(spec)
	if err != nil {
		return nil, err
	}
	pod, err := podTree(metadata, spec, a)
	if err != nil {
		return nil, err
	}
	p := &podPattern{text: jsonPattern(pod), vary: vary}
	for _, piece := range p.text {
		if piece.variable == environment {
			p.containers++
		}
	}
	return p, nil
}

// checkVarying checks the quantities that depend on the values.
func (p *podPattern) checkVarying(v *values) error {
	for _, q := range p.vary {
		if err := quantity.CheckLength(q.text.size(v)); err != nil { // before it is made
			return fmt.Errorf("%s: %w", q.path, err)
		}
		if err := checkQuantity(q.path, q.text.join(v)); err != nil {
			return err
		}
	}
	return nil
}
