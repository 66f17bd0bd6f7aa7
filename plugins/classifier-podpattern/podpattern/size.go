package podpattern

import (
	"fmt"
	"regexp/syntax"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// Limits of the rules of one Framework, which users write: all Frameworks share the plugin's time and memory. The rules
// of the default configuration have 90 regular expressions with 1,500 instructions. Rules in a configuration are not
// limited.
const (
	maxPattern = 4 << 10 // bytes of a regular expression
	// Number of regular expressions, each of which takes about 1 KiB besides its instructions.
	maxPatterns = 500
	// Number of instructions of all of them. An instruction takes 40 bytes, and as many again during a search, and may
	// run once for each character: 27 ns each time, so the 12 KiB of messages that a Pod may have take at most 1.6 s.
	maxInstructions = 5000
)

// instructionRunes is the number of entries of a character class that take as much memory as an instruction.
const instructionRunes = 10

// instructions is an upper limit of the length of a regular expression's program. It includes the memory of its
// character classes, and is computed before anything of that size is allocated.
func instructions(re *syntax.Regexp) int {
	return 2 + programOf(re) + runesOf(re)/instructionRunes
}

// programOf imitates syntax.Compile after Simplify, which replaces repetitions by copies.
func programOf(re *syntax.Regexp) int {
	sum := 0
	for _, sub := range re.Sub {
		sum += programOf(sub)
	}
	switch re.Op {
	case syntax.OpLiteral:
		return max(1, len(re.Rune))
	case syntax.OpConcat:
		return max(1, sum)
	case syntax.OpAlternate:
		return sum + len(re.Sub)
	case syntax.OpCapture, syntax.OpStar:
		return sum + 2
	case syntax.OpPlus, syntax.OpQuest:
		return sum + 1
	case syntax.OpRepeat:
		return copies(re, sum)
	default:
		return 1
	}
}

// copies handles repetitions: each optional copy has an instruction of its own.
func copies(re *syntax.Regexp, once int) int {
	if re.Max < 0 {
		return max(1, re.Min)*once + 2
	}
	return 1 + re.Max*once + re.Max - re.Min
}

// runesOf counts character classes once, as copies share them.
func runesOf(re *syntax.Regexp) int {
	sum := 0
	if re.Op == syntax.OpCharClass {
		sum = len(re.Rune)
	}
	for _, sub := range re.Sub {
		sum += runesOf(sub)
	}
	return sum
}

// budget is the remaining limit for the regular expressions of a Framework.
type budget struct {
	patterns, instructions int
}

// checkSizes returns the first excess in the rules of a Framework. Other mistakes are left to the compiler.
func checkSizes(specs []completion.RuleSpec) error {
	b := budget{maxPatterns, maxInstructions}
	for i, s := range specs {
		for j, p := range s.PodPatterns {
			if err := b.podPattern(fmt.Sprintf("podFailureSpec[%d].podPatterns[%d]", i, j), p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b *budget) podPattern(key string, p *completion.PodPatternSpec) error {
	if p == nil {
		return nil
	}
	if err := b.regexes(key, p.NameRegex, p.ReasonRegex, p.MessageRegex); err != nil {
		return err
	}
	for i, c := range p.Containers {
		if c == nil {
			continue
		}
		if err := b.regexes(fmt.Sprintf("%s.containers[%d]", key, i), c.NameRegex, c.ReasonRegex, c.MessageRegex); err != nil {
			return err
		}
	}
	return nil
}

func (b *budget) regexes(key string, name, reason, message *string) error {
	for _, r := range []struct {
		field string
		expr  *string
	}{{"nameRegex", name}, {"reasonRegex", reason}, {"messageRegex", message}} {
		if r.expr == nil {
			continue
		}
		if err := b.take(*r.expr); err != nil {
			return fmt.Errorf("%s.%s: %w", key, r.field, err)
		}
	}
	return nil
}

// take subtracts a regular expression from the budget. An invalid one is free, as it is refused later.
func (b *budget) take(expr string) error {
	if len(expr) > maxPattern {
		return fmt.Errorf("%s has %d bytes, but at most %d are allowed", shown(expr), len(expr), maxPattern)
	}
	if b.patterns--; b.patterns < 0 {
		return fmt.Errorf("there are more than %d regular expressions", maxPatterns)
	}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	n := instructions(re)
	if n > b.instructions {
		return fmt.Errorf("%s needs %d instructions, %d with those before it, but at most %d are allowed",
			shown(expr), n, maxInstructions-b.instructions+n, maxInstructions)
	}
	b.instructions -= n
	return nil
}

// shown is the beginning of a regular expression, for messages.
func shown(expr string) string {
	const most = 24
	if len(expr) <= most {
		return fmt.Sprintf("%q", expr)
	}
	return fmt.Sprintf("%q...", completion.Cut(expr, most))
}
