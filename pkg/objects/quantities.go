package objects

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/quantity"
)

// The API server parses the quantities of a Pod before anything else. If that took hours, the Pod would be sent to it
// again and again, since it gives no answer; so quantities are the only part of a template that is validated here.

// quantityPlaces locates the quantities in a value. nil means there are none.
type quantityPlaces struct {
	here   bool
	fields map[string]*quantityPlaces // for an object with fields of its own
	each   *quantityPlaces            // for a list, or an object with any keys
}

var quantitiesOfPods = placesIn(reflect.TypeFor[corev1.PodSpec]())

func placesIn(t reflect.Type) *quantityPlaces {
	switch {
	case t == reflect.TypeFor[resource.Quantity]():
		return &quantityPlaces{here: true}
	case t.Kind() == reflect.Pointer:
		return placesIn(t.Elem())
	case t.Kind() == reflect.Slice || t.Kind() == reflect.Map:
		if each := placesIn(t.Elem()); each != nil {
			return &quantityPlaces{each: each}
		}
	case t.Kind() == reflect.Struct:
		return placesInFields(t)
	}
	return nil
}

func placesInFields(t reflect.Type) *quantityPlaces {
	out := &quantityPlaces{fields: map[string]*quantityPlaces{}}
	for i := range t.NumField() {
		field := t.Field(i)
		places := placesIn(field.Type)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case places == nil:
		case field.Anonymous && name == "":
			maps.Copy(out.fields, places.fields)
		default:
			out.fields[name] = places
		}
	}
	if len(out.fields) == 0 {
		return nil
	}
	return out
}

// eachIn calls do for the text of every quantity in a value, up to the first error. The API server refuses values of a
// wrong type.
func (q *quantityPlaces) eachIn(value any, path string, do func(path, text string) error) error {
	if q == nil {
		return nil
	}
	switch v := value.(type) {
	case string:
		return q.doHere(path, v, do)
	case json.Number:
		return q.doHere(path, v.String(), do)
	case []any:
		for i, element := range v {
			if err := q.each.eachIn(element, fmt.Sprintf("%s[%d]", path, i), do); err != nil {
				return err
			}
		}
	case map[string]any:
		return q.eachField(v, path, do)
	}
	return nil
}

func (q *quantityPlaces) doHere(path, text string, do func(path, text string) error) error {
	if !q.here {
		return nil
	}
	return do(path, text)
}

func (q *quantityPlaces) eachField(fields map[string]any, path string, do func(path, text string) error) error {
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		places := q.each
		if q.fields != nil {
			places = q.fields[key]
		}
		if places == nil {
			continue
		}
		if err := places.eachIn(fields[key], path+"."+key, do); err != nil {
			return err
		}
	}
	return nil
}

// varyingQuantity is a quantity with tokens in it, so that it is known only for a Task.
type varyingQuantity struct {
	path string
	text pattern
}

// checkQuantities checks the quantities of a Pod's spec, and returns the ones that vary.
func checkQuantities(spec object) (vary []varyingQuantity, err error) {
	err = quantitiesOfPods.eachIn(spec.fields, spec.path, func(path, text string) error {
		if p, _ := cutToken(text); p.variable != noVariable {
			vary = append(vary, varyingQuantity{path, parseTokens(text)})
			return nil
		}
		return checkQuantity(path, text)
	})
	return vary, err
}

func checkQuantity(path, text string) error {
	if err := quantity.Check(text); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}
