package podverdict

import (
	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Limits of the texts of a verdict, in bytes.
const (
	MaxPhrase      = 256
	MaxDiagnostics = 4 << 10
	MaxRule        = 256
)

// Verdict returns a Pod's failure as a verdict on it. ok is false, so no opinion is to be given, if the contract cannot
// express it: a reserved code that is a plain exit code, such as 205; a missing or odd phrase; odd attributes; or
// diagnostics that would be cut, as the JSON in them would no longer be readable. The built-in rules then decide.
func Verdict(uid string, s v1.CompletionStatus) (*pluginpb.Verdict, bool) {
	kind := completionType(s.Type)
	if !mayUse(s) || len(s.Diagnostics) > MaxDiagnostics || CheckPhrase(s.Phrase) != nil || CheckAttributes(kind.Attributes) != nil {
		return nil, false
	}
	return &pluginpb.Verdict{
		Uid: uid, Code: s.Code, Phrase: s.Phrase, Type: kind, Diagnostics: Text(s.Diagnostics), Remedy: Text(s.Remedy),
	}, true
}

// predefined are the controller's own codes that a verdict may have.
var predefined = []completion.Code{
	completion.CodeContainerTransientFailed, completion.CodeContainerTransientConflictFailed,
	completion.CodeContainerPermanentFailed, completion.CodePodFailedWithoutFailedContainer,
}

// mayUse checks the phrase too, as a container may exit with any number, for instance -300 on Windows.
func mayUse(s v1.CompletionStatus) bool {
	return !completion.IsReserved(s.Code) || completion.IsPredefined(s, predefined...)
}

// IsVerdict reports whether an attempt ended by a failure of its Pod that rules or a plugin judged, rather than by an
// action of the controller or of others.
func IsVerdict(s v1.CompletionStatus) bool {
	return s.Type.Name == v1.CompletionFailed &&
		(mayUse(s) || s.Phrase == completion.PhraseContainerUnrecognizedFailed)
}

// Status returns the completion status of a verdict. Empty attributes become null for codes of rules, as in a
// configured rule without any, and [] for predefined and plain exit codes, as they are stored without a plugin.
func Status(v *pluginpb.Verdict) v1.CompletionStatus {
	s := v1.CompletionStatus{Code: v.GetCode(), Phrase: v.GetPhrase(), Diagnostics: v.GetDiagnostics(), Remedy: v.GetRemedy()}
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
