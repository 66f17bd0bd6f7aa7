package explain

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
)

// unrecognizedWord explains a failed container that no rule recognizes.
var unrecognizedWord = Word{
	Means:  "A container failed, and no rule of the controller says what its exit code means, so it is not known whether another try would help.",
	Change: "find out why the container ended like that, and correct it.",
	Vague:  true,
	Next:   []Step{seeLogs},
}

// unnamedWord explains a failure without a phrase.
var unnamedWord = Word{
	Means:  "A rule of this cluster recognized the failure.",
	Change: "find out why the container ended like that, and correct it.",
	Vague:  true,
	Next:   []Step{seeLogs},
}

// configuredWord explains a code that is neither predefined nor in the default configuration.
var configuredWord = Word{
	Means:  "A rule of this cluster recognized the failure and gave it that name.",
	Change: "find the cause by the phrase of the code and by the end of the container, and correct it.",
	Vague:  true,
	Next:   []Step{seeLogs},
}

// CodeWord explains the end of an attempt. A container may exit with the number of a predefined code, so the phrase is checked,
// too.
func CodeWord(s v1.CompletionStatus) Word {
	if e, predefined := completion.EntryOf(s); predefined {
		return wordOf(e)
	}
	switch word, ruled := ruleWords[s.Phrase]; {
	case s.Phrase == completion.PhraseContainerUnrecognizedFailed:
		return unrecognizedWord
	case s.Type.Name == v1.CompletionSucceeded:
		e, _ := completion.EntryOf(completion.Predefined(completion.CodeSucceeded, ""))
		return wordOf(e)
	case ruled:
		return word
	case s.Phrase == "":
		return unnamedWord
	}
	return configuredWord
}

func wordOf(e completion.Entry) Word { return Word{Means: e.Means, Change: e.Change, Next: e.Next} }
