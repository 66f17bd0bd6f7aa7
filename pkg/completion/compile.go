package completion

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Compile checks the podFailureSpec of a configuration and makes rules of it. The error joins one error per
// mistake, each naming its key. Beyond the checks of contract 9.1, a range whose min is above its max is
// refused, as it could never match. Warnings returns the other flaws.
func Compile(specs []RuleSpec) (*Rules, error) {
	c := compiler{firstUse: map[use]string{}}
	rules := slices.Clone(predefinedRules)
	var shadows []placed
	for i, s := range specs {
		if r := c.rule(ruleKey(i), s); s.Shadow {
			shadows = append(shadows, placed{r, len(rules)})
		} else {
			rules = append(rules, r)
		}
	}
	if len(c.mistakes) > 0 {
		return nil, errors.Join(c.mistakes...)
	}
	out := &Rules{configured: rules, yielding: yieldingPatterns(rules)}
	for _, s := range shadows {
		out.shadows = append(out.shadows, s.among(rules))
	}
	return out, nil
}

func ruleKey(i int) string {
	return fmt.Sprintf("podFailureSpec[%d]", i)
}

// compiler continues after a mistake, so that all of them are reported at once. Its methods take the key of the compiled value,
// such as podFailureSpec[3].
type compiler struct {
	firstUse map[use]string
	mistakes []error
}

// use is the use of a code: a rule in shadow may try another meaning of the code of a rule that decides.
type use struct {
	code   Code
	shadow bool
}

func (c *compiler) mistake(key, format string, args ...any) {
	c.mistakes = append(c.mistakes, fmt.Errorf(key+": "+format, args...))
}

func (c *compiler) rule(key string, s RuleSpec) rule {
	r := rule{phrase: s.Phrase, remedy: s.Remedy, kind: v1.CompletionType{Name: v1.CompletionFailed, Attributes: s.Type.Attributes}}
	r.code = c.code(key+".code", s.Code, s.Shadow)
	if s.Type.Name != "" && s.Type.Name != v1.CompletionFailed {
		c.mistake(key+".type.name", "must be %s, or absent, but is %q", v1.CompletionFailed, s.Type.Name)
	}
	if len(s.Remedy) > MaxRemedy {
		c.mistake(key+".remedy", "has %d bytes, but at most %d are allowed", len(s.Remedy), MaxRemedy)
	}
	if len(s.PodPatterns) == 0 {
		c.mistake(key+".podPatterns", "needs at least one pattern, otherwise the code would never be given")
	}
	for i, p := range s.PodPatterns {
		r.patterns = append(r.patterns, c.podPattern(fmt.Sprintf("%s.podPatterns[%d]", key, i), p))
	}
	return r
}

func (c *compiler) code(key string, code *int32, shadow bool) Code {
	if code == nil {
		c.mistake(key, "is missing")
		return 0
	}
	if IsReserved(*code) {
		c.mistake(key, "%d is reserved: use a number from 1 to 199, from 220, or up to -1000", *code)
	}
	if first, used := c.firstUse[use{*code, shadow}]; used {
		c.mistake(key, "%d is already the code of %s: put all patterns of a code into one entry", *code, first)
		return *code
	}
	c.firstUse[use{*code, shadow}] = key
	return *code
}

func (c *compiler) podPattern(key string, s *PodPatternSpec) podPattern {
	if s == nil {
		c.mistake(key, "is empty: remove it, or write {} to match every failed Pod")
		return podPattern{}
	}
	p := podPattern{
		name:    c.regex(key+".nameRegex", s.NameRegex),
		reason:  c.regex(key+".reasonRegex", s.ReasonRegex),
		message: c.regex(key+".messageRegex", s.MessageRegex),
	}
	for i, cs := range s.Containers {
		p.containers = append(p.containers, c.containerPattern(fmt.Sprintf("%s.containers[%d]", key, i), cs))
	}
	return p
}

func (c *compiler) containerPattern(key string, s *ContainerPatternSpec) containerPattern {
	if s == nil {
		c.mistake(key, "is empty: remove it, or write {} to match any container")
		return containerPattern{}
	}
	p := containerPattern{
		name:    c.regex(key+".nameRegex", s.NameRegex),
		reason:  c.regex(key+".reasonRegex", s.ReasonRegex),
		message: c.regex(key+".messageRegex", s.MessageRegex),
		signal:  c.bounds(key+".signalRange", s.SignalRange),
		code:    c.bounds(key+".codeRange", s.CodeRange),
	}
	if s.IgnoreAfterOtherFailure && p == (containerPattern{}) {
		c.mistake(key+".ignoreAfterOtherFailure", "matches every container: add codeRange or another field to narrow it")
	}
	p.yields = s.IgnoreAfterOtherFailure
	return p
}

func (c *compiler) regex(key string, expr *string) *regexp.Regexp {
	if expr == nil {
		return nil
	}
	re, err := regexp.Compile(*expr)
	if err != nil {
		c.mistake(key, "%w", err)
	}
	return re
}

func (c *compiler) bounds(key string, s *RangeSpec) *bounds {
	if s == nil || s.Min == nil && s.Max == nil {
		return nil
	}
	return &bounds{min: s.Min, max: s.Max}
}
