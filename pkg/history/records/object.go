package records

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
	"time"
	"unique"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/alike"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Kinds of objects in the history.
const (
	KindFramework = "Framework"
	KindPod       = "Pod"
)

// packed is the content of an object, compressed, because thousands of them may wait for the end of an attempt.
type packed struct{ digest, content string }

// object is a packed content. Equal contents share memory. The zero value is no object.
type object struct{ unique.Handle[packed] }

func (o object) digest() string {
	if o == (object{}) {
		return ""
	}
	return o.Value().digest
}

func pack(c alike.Content) object {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return object{} // the level is valid
	}
	_, _ = w.Write(c.JSON) // a buffer takes all
	_ = w.Close()
	return object{unique.Make(packed{c.Digest, b.String()})}
}

func (p packed) unpack() []byte {
	text, err := io.ReadAll(flate.NewReader(strings.NewReader(p.content)))
	if err != nil {
		return nil // it was packed by this process
	}
	return text
}

// Object returns the record of a Pod as it was last seen; nil if it was not seen as a whole. Pods of equal Tasks have the same record,
// but for the names.
func (p *Pod) Object(of Subject, attempt int32, name string, at time.Time) *pluginpb.Record {
	if p == nil || p.object == (object{}) {
		return nil
	}
	is := p.object.Value()
	return objectRecord(of, attempt, at, &pluginpb.ObjectRecord{Kind: KindPod, Name: name, Uid: string(p.UID), Digest: is.digest, Content: is.unpack()})
}

// content returns the Framework as an object, and its digest; nil if it cannot be encoded.
func (s Subject) content() *alike.Content {
	c, err := alike.Framework(s.Meta, s.Spec, s.Environment)
	if err != nil {
		return nil
	}
	return &c
}

func (s Subject) object(attempt int32, at time.Time, c *alike.Content) *pluginpb.Record {
	return objectRecord(s, attempt, at, &pluginpb.ObjectRecord{Kind: KindFramework, Name: s.Meta.Name, Uid: string(s.Meta.UID), Digest: c.Digest, Content: c.JSON})
}

func objectRecord(of Subject, attempt int32, at time.Time, o *pluginpb.ObjectRecord) *pluginpb.Record {
	return &pluginpb.Record{
		Key: of.key("object", o.GetDigest()), Framework: of.framework(attempt), ResourceVersion: of.version(), Time: timestamp(at), Content: &pluginpb.Record_Object{Object: o},
	}
}
