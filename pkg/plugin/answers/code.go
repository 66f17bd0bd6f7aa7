package answers

import (
	"errors"
	"fmt"
	"slices"
	"unicode"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// usable are the predefined codes that a plugin may give to a failed Pod.
var usable = codesFor(completion.AnyPod)

// usableOfPending are the codes for a Pod that does not get to run, including the codes of start deadlines.
var usableOfPending = append(slices.Clone(usable), codesFor(completion.PendingOnly)...)

func codesFor(pods completion.Plugins) (codes []completion.Code) {
	for _, e := range completion.Table() {
		if e.Plugins == pods {
			codes = append(codes, e.Code)
		}
	}
	return codes
}

// checkCode returns the mistake in the code of a failure; nil if there is none.
func checkCode(code int32, phrase string, kind *pluginpb.CompletionType) error {
	return checkCodeOf(code, phrase, kind, usable)
}

// checkCodeOf is checkCode with the given set of predefined codes.
func checkCodeOf(code int32, phrase string, kind *pluginpb.CompletionType, usable []completion.Code) error {
	if err := checkPhrase(phrase); err != nil {
		return err
	}
	if kind.GetName() != string(v1.CompletionFailed) {
		return fmt.Errorf("the name of the type must be %s, but is %q", v1.CompletionFailed, completion.Cut(kind.GetName(), 40))
	}
	if err := checkAttributes(kind.GetAttributes()); err != nil {
		return err
	}
	if !completion.IsReserved(code) {
		return nil
	}
	if !slices.Contains(usable, code) {
		return fmt.Errorf("code %d is reserved: use a number from 1 to 199, from 220, or up to -1000", code)
	}
	own := completion.Predefined(code, "")
	if phrase != own.Phrase || !sameAttributes(kind.GetAttributes(), own.Type.Attributes) {
		return fmt.Errorf("code %d must have the phrase %s and the attributes %v, but has %q and %v",
			code, own.Phrase, own.Type.Attributes, phrase, kind.GetAttributes())
	}
	return nil
}

func checkPhrase(phrase string) error {
	switch {
	case phrase == "":
		return errors.New("a code must have a phrase")
	case len(phrase) > maxPhrase:
		return fmt.Errorf("the phrase has %d bytes, but at most %d are allowed", len(phrase), maxPhrase)
	}
	for _, r := range phrase {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the phrase %q has unprintable characters", phrase)
		}
	}
	return nil
}

var attributes = []v1.CompletionTypeAttribute{v1.AttributeTransient, v1.AttributePermanent, v1.AttributeConflict}

func checkAttributes(given []string) error {
	for i, a := range given {
		if !slices.Contains(attributes, v1.CompletionTypeAttribute(a)) {
			return fmt.Errorf("the type has the unknown attribute %q; known are %v", completion.Cut(a, 40), attributes)
		}
		if slices.Contains(given[:i], a) {
			return fmt.Errorf("the type has the attribute %s twice", a)
		}
	}
	if slices.Contains(given, string(v1.AttributeTransient)) && slices.Contains(given, string(v1.AttributePermanent)) {
		return errors.New("the type is both Transient and Permanent")
	}
	return nil
}

func sameAttributes(given []string, own []v1.CompletionTypeAttribute) bool {
	if len(given) != len(own) {
		return false
	}
	for _, a := range own {
		if !slices.Contains(given, string(a)) {
			return false
		}
	}
	return true
}
