package gang

import (
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxAnswer is how many bytes an answer may have as JSON, by the contract with plugins.
const maxAnswer = 64 << 10

// CheckSize returns an error for an answer that is too large to be stored, with an advice to the author of the Framework.
func CheckSize(answer proto.Message, advice string) error {
	text, err := protojson.Marshal(answer)
	if err != nil {
		return err
	}
	var compact bytes.Buffer // Marshal adds spaces, by chance of the build
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	if compact.Len() > maxAnswer {
		return fmt.Errorf("the hints take %d bytes, and at most %d can be stored; %s", compact.Len(), maxAnswer, advice)
	}
	return nil
}
