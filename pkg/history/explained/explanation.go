package explained

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/explain"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// Explanation is an answer about an attempt of a Framework, from facts that were read at a time.
func Explanation(a explain.Answer, attempt int32, read time.Time) (historyapi.Explanation, error) {
	e := historyapi.Explanation{FrameworkAttempt: attempt, Time: read.UTC(), About: subject(&a.About), Statements: []historyapi.Statement{}, Next: []historyapi.NextStep{}}
	for i := range a.Statements {
		s, err := statement(&a.Statements[i])
		if err != nil {
			return e, err
		}
		e.Statements = append(e.Statements, s)
	}
	for _, step := range a.Next {
		e.Next = append(e.Next, historyapi.NextStep{Command: step.Command, Why: step.Why})
	}
	return e, nil
}

func statement(s *explain.Statement) (historyapi.Statement, error) {
	out := historyapi.Statement{Topic: string(s.Topic), Subject: subject(&s.Subject), Continues: s.Continues, Sentence: s.Sentence, Parts: parts(s.Parts)}
	arguments, err := json.Marshal(s.Args)
	if err != nil {
		return out, fmt.Errorf("writing the arguments of %s: %w", s.Topic, err)
	}
	if string(arguments) != "{}" {
		out.Arguments = arguments
	}
	return out, nil
}

func subject(s *explain.Subject) historyapi.Subject {
	return historyapi.Subject{Kind: s.Kind, Name: s.Name, Role: s.Role, Index: s.Index}
}

func parts(all []explain.Part) (out []historyapi.SentencePart) {
	for i := range all {
		p := historyapi.SentencePart{Text: all[i].Text, Distance: all[i].Distance}
		if at := all[i].Time; at != nil {
			p.Time = new(at.UTC())
		}
		if of := all[i].Subject; of != nil {
			p.Subject = new(subject(of))
		}
		out = append(out, p)
	}
	return out
}
