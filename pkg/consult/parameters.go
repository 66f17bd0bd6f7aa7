package consult

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"weak"

	"google.golang.org/protobuf/types/known/structpb"
)

// MaxParameters limits the bytes of JSON of a Framework's parameters for one plugin, as the API server returns them. Decoded,
// they take some forty times as much, and they are sent to the plugin with each question.
const MaxParameters = 64 << 10

// MaxDepth limits their nesting of objects and lists. In protobuf, one nested object takes three nested messages, and
// libraries of most languages read at most a hundred levels.
const MaxDepth = 32

// library decodes parameters in use only once, however many questions have them. Decoded parameters are immutable. The zero
// library is empty.
type library struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]weak.Pointer[structpb.Struct]
}

// read returns parameters in the form of questions, or nil for none. An error describes the mistake, at a cost proportional to their
// length.
func (l *library) read(raw json.RawMessage) (*structpb.Struct, error) {
	if len(raw) > MaxParameters {
		return nil, fmt.Errorf("has %d bytes of JSON, more than the %d that are allowed", len(raw), MaxParameters)
	}
	key := sha256.Sum256(raw)
	l.mu.Lock()
	defer l.mu.Unlock()
	if known := l.known[key].Value(); known != nil {
		return known, nil
	}
	parameters, err := parse(raw)
	if err != nil || parameters == nil {
		return nil, err
	}
	if l.known == nil {
		l.known = map[[sha256.Size]byte]weak.Pointer[structpb.Struct]{}
	}
	l.known[key] = weak.Make(parameters)
	runtime.AddCleanup(parameters, l.forget, key)
	return parameters, nil
}

// forget removes parameters that no question has any longer, unless they were read again since.
func (l *library) forget(key [sha256.Size]byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known[key].Value() == nil {
		delete(l.known, key)
	}
}

func parse(raw json.RawMessage) (*structpb.Struct, error) {
	if len(raw) == 0 {
		return nil, nil
	}
	if isDeeper(raw, MaxDepth) {
		return nil, fmt.Errorf("is nested more than %d levels deep", MaxDepth)
	}
	var values map[string]any
	if err := json.Unmarshal(raw, &values); err != nil {
		return nil, err
	}
	return structOf(values)
}

// isDeeper reports whether JSON has more levels than most, before it is decoded.
func isDeeper(raw []byte, most int) bool {
	depth, inText := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inText && c == '\\':
			i++ // an escaped character does not end the string
		case c == '"':
			inText = !inText
		case inText:
		case c == '[' || c == '{':
			if depth++; depth > most {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// structOf returns nil for no values.
func structOf(values map[string]any) (*structpb.Struct, error) {
	if len(values) == 0 {
		return nil, nil
	}
	return structpb.NewStruct(values)
}

// merged returns the configuration's parameters, overlaid by the Framework's, or nil for none. Values are shared.
func (m member) merged() *structpb.Struct {
	all, err := structOf(m.config.Parameters)
	if err != nil || all == nil {
		return m.parameters // the host starts no plugin with parameters that JSON cannot express
	}
	maps.Copy(all.Fields, m.parameters.GetFields())
	return all
}
