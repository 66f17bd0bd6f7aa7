package completion

import (
	"slices"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Code is the number of a way to end. A number alone is not always unique: a container may exit with any number, so compare
// predefined codes with IsPredefined.
type Code = int32

// PhraseContainerUnrecognizedFailed is the phrase of a failed container that no pattern matched. Its code is
// OfExit of the container's exit code.
const PhraseContainerUnrecognizedFailed = "ContainerUnrecognizedFailed"

// Predefined returns the completion status of a predefined code. Its attributes are never null. A code that
// is not in Table gives a failure without phrase.
func Predefined(code Code, diagnostics string) v1.CompletionStatus {
	e, ok := lookup(code)
	if !ok {
		e = Entry{Code: code}
	}
	return v1.CompletionStatus{Code: code, Phrase: e.Phrase, Type: e.Type(), Diagnostics: diagnostics}
}

// Negative exit codes, which only Windows has, are 32-bit unsigned numbers there: the kubelet reports 0xC000013A as
// -1073741510. Codes from lowestTaken to -1 look like codes of the controller and of the default configuration, so they are moved
// below them.
const (
	lowestTaken Code = -1999
	movedBy     Code = -10000
)

// OfExit returns the completion code for an exit code of a container that no rule maps to a code. The completion code is
// the exit code itself, or 10,000 less for exit codes from -1999 to -1. A negative completion code above -2000 therefore
// never comes from a container alone. 200, 201, 210 and 0 are returned unchanged: 0 is no failure, and the others have
// predefined rules.
func OfExit(exit int32) Code {
	if lowestTaken <= exit && exit < 0 {
		return exit + movedBy
	}
	return exit
}

// IsPredefined reports whether s is one of the given predefined codes and carries that code's own phrase. The
// phrase distinguishes a real -210 from the status of a container that exited with -210, as earlier versions stored it.
func IsPredefined(s v1.CompletionStatus, codes ...Code) bool {
	if !slices.Contains(codes, s.Code) {
		return false
	}
	e, ok := lookup(s.Code)
	return ok && e.Phrase == s.Phrase
}

// IsReserved reports whether a code is kept for the table, so that no rule of the configuration may use it.
func IsReserved(code Code) bool {
	return -999 <= code && code <= 0 || 200 <= code && code <= 219
}
