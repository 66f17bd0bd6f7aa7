package podverdict

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// What the texts of a verdict may have, in bytes.
const (
	MaxPhrase      = 256
	MaxDiagnostics = 4 << 10
	MaxRule        = 256
)

// Verdict returns how a Pod failed as a verdict on it. There is none, so no opinion is to be given, if the contract cannot
// say the same: a reserved code that is a plain exit code, such as 205, no phrase or an odd one, odd attributes, and
// diagnostics that would be cut, as the JSON in them would not be readable any more. The built-in rules then decide.
func Verdict(uid string, s v1.CompletionStatus) (*pluginpb.Verdict, bool) {
	kind := completionType(s.Type)
	if !mayUse(s) || len(s.Diagnostics) > MaxDiagnostics || CheckPhrase(s.Phrase) != nil || CheckAttributes(kind.Attributes) != nil {
		return nil, false
	}
	return &pluginpb.Verdict{
		Uid: uid, Code: s.Code, Phrase: s.Phrase, Type: kind, Diagnostics: Text(s.Diagnostics),
	}, true
}

// predefined are the controller's own codes that a verdict may have.
var predefined = []completion.Code{
	completion.CodeContainerTransientFailed, completion.CodeContainerTransientConflictFailed,
	completion.CodeContainerPermanentFailed, completion.CodePodFailedWithoutFailedContainer,
}

// mayUse goes by the phrase too, as a container may exit with any number, -300 for instance on Windows.
func mayUse(s v1.CompletionStatus) bool {
	return !completion.IsReserved(s.Code) || completion.IsPredefined(s, predefined...)
}

// IsVerdict reports whether an attempt has ended by a failure of its Pod, which rules or a plugin have judged, rather than by
// what the controller or others have done to it.
func IsVerdict(s v1.CompletionStatus) bool {
	return s.Type.Name == v1.CompletionFailed &&
		(mayUse(s) || s.Phrase == completion.PhraseContainerUnrecognizedFailed)
}

// Status returns the completion status that a verdict says. Attributes that are empty are null for codes of rules, as for
// a configured rule without any, and [] for predefined and plain exit codes: so they are stored as without a plugin.
func Status(v *pluginpb.Verdict) v1.CompletionStatus {
	s := v1.CompletionStatus{Code: v.GetCode(), Phrase: v.GetPhrase(), Diagnostics: v.GetDiagnostics()}
	s.Type.Name = v1.CompletionTypeName(v.GetType().GetName())
	for _, a := range v.GetType().GetAttributes() {
		s.Type.Attributes = append(s.Type.Attributes, v1.CompletionTypeAttribute(a))
	}
	if s.Type.Attributes == nil && isBuiltIn(s) {
		s.Type.Attributes = []v1.CompletionTypeAttribute{}
	}
	return s
}

func isBuiltIn(s v1.CompletionStatus) bool {
	return s.Phrase == completion.PhraseContainerUnrecognizedFailed || completion.IsPredefined(s, s.Code)
}

// Earlier returns the verdict on an earlier attempt of the same Task; the caller adds attempt id, node and time.
func Earlier(s v1.CompletionStatus) *pluginpb.EarlierVerdict {
	return &pluginpb.EarlierVerdict{Code: s.Code, Phrase: Text(s.Phrase), Type: completionType(s.Type)}
}

func completionType(t v1.CompletionType) *pluginpb.CompletionType {
	out := &pluginpb.CompletionType{Name: string(t.Name)}
	for _, a := range t.Attributes {
		out.Attributes = append(out.Attributes, Text(string(a)))
	}
	return out
}
