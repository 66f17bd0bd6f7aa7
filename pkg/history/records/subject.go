package records

import (
	"strconv"
	"strings"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/completion"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/podverdict"
)

// Subject is the Framework that records are about. It is not changed.
type Subject struct {
	Meta *metav1.ObjectMeta
	Spec *v1.FrameworkSpec
	// Environment keeps values of environment variables in the object.
	Environment bool
}

// framework identifies the Framework in a record.
func (s Subject) framework(attempt int32) *pluginpb.Framework {
	return &pluginpb.Framework{Namespace: s.Meta.Namespace, Name: s.Meta.Name, Uid: string(s.Meta.UID), AttemptId: attempt}
}

// version is a version of the storage at which the Framework existed.
func (s Subject) version() string { return text(s.Meta.ResourceVersion) }

// key joins the parts that identify a record of the Framework. Names contain no slash.
func (s Subject) key(parts ...string) string {
	return string(s.Meta.UID) + "/" + strings.Join(parts, "/")
}

func number[N int32 | int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// longestText is the limit of the contract for diagnostics and messages, in bytes.
const longestText = 4 << 10

func text(s string) string { return completion.Cut(podverdict.Text(s), longestText) }

func outcome(s *v1.CompletionStatus) *pluginpb.Completion {
	if s == nil {
		return nil
	}
	out := &pluginpb.Completion{Code: s.Code, Phrase: text(s.Phrase), Diagnostics: text(s.Diagnostics), Type: &pluginpb.CompletionType{Name: string(s.Type.Name)}}
	out.Remedy = text(s.Remedy)
	for _, a := range s.Type.Attributes {
		out.Type.Attributes = append(out.Type.Attributes, string(a))
	}
	if by := s.Source; by != nil {
		out.Plugin, out.PluginVersion, out.Rule = text(by.Plugin), text(by.Version), text(by.Rule)
	}
	return out
}

func timestamp(t time.Time) *timestamppb.Timestamp {
	if t.IsZero() {
		return nil
	}
	return timestamppb.New(t)
}

func moment(t *metav1.Time) *timestamppb.Timestamp {
	if t == nil {
		return nil
	}
	return timestamp(t.Time)
}
