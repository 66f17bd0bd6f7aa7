package explain

import (
	"fmt"
	"reflect"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"
)

// Part is a piece of a sentence. A reader may show its time in another zone, or a link to its subject, in place of the text. Without
// either, it is only text.
type Part struct {
	Text string
	// Time that the text words; nil if it words none.
	Time *metav1.Time
	// Distance: the text is the distance between Time and the time of the answer, such as 5m, and not Time itself.
	Distance bool
	// Subject named by the text, a Task or a node; nil if it names none.
	Subject *Subject
}

// phrase is a sentence, or a piece of one, in parts.
type phrase []Part

// say joins texts, numbers, parts and phrases.
func say(all ...any) (p phrase) {
	for _, one := range all {
		switch one := one.(type) {
		case phrase:
			p = append(p, one...)
		case Part:
			p = append(p, one)
		default:
			p = append(p, Part{Text: text(one)})
		}
	}
	return p
}

// text words a value as a template does: a pointer is as good as its value.
func text(value any) string {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && !v.IsNil() {
		value = v.Elem().Interface()
	}
	return fmt.Sprint(value)
}

func (p phrase) String() string {
	var b strings.Builder
	for i := range p {
		b.WriteString(p[i].Text)
	}
	return b.String()
}

// merged joins neighbors that are only text. It is nil if all is.
func (p phrase) merged() (out []Part) {
	rich := false
	for _, part := range p {
		n, plain := len(out), part == Part{Text: part.Text}
		rich = rich || !plain
		switch {
		case part.Text == "":
		case plain && n > 0 && out[n-1] == Part{Text: out[n-1].Text}:
			out[n-1].Text += part.Text
		default:
			out = append(out, part)
		}
	}
	if !rich {
		return nil
	}
	return out
}

// stamp is a time, in UTC. distance is how far it is from now.
func stamp(t time.Time) Part { return Part{Text: t.UTC().Format(time.RFC3339), Time: at(t)} }

func distance(t time.Time, between time.Duration) Part {
	return Part{Text: duration.HumanDuration(between), Time: at(t), Distance: true}
}

// rendering executes a template. Each action hands its value over before it is printed, so that the parts of phrases stay apart.
type rendering struct{ out phrase }

// handOver is the function that ends the pipeline of each action.
const handOver = "handOver"

func (r *rendering) execute(name, sentence string, data any) error {
	t, err := template.New(name).Funcs(template.FuncMap{handOver: r.take}).Parse(sentence)
	if err != nil {
		return err
	}
	handsOver(t.Root)
	return t.Execute(r, data)
}

// Write gets the text between actions.
func (r *rendering) Write(text []byte) (int, error) {
	r.out = append(r.out, Part{Text: string(text)})
	return len(text), nil
}

func (r *rendering) take(value any) string {
	r.out = append(r.out, say(value)...)
	return ""
}

// handsOver extends the pipelines whose values are printed.
func handsOver(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.ActionNode:
			if len(n.Pipe.Decl) == 0 {
				n.Pipe.Cmds = append(n.Pipe.Cmds, &parse.CommandNode{NodeType: parse.NodeCommand, Pos: n.Pos, Args: []parse.Node{parse.NewIdentifier(handOver).SetPos(n.Pos)}})
			}
		case *parse.IfNode:
			handsOver(n.List)
			handsOver(n.ElseList)
		case *parse.WithNode:
			handsOver(n.List)
			handsOver(n.ElseList)
		case *parse.RangeNode:
			handsOver(n.List)
			handsOver(n.ElseList)
		}
	}
}
