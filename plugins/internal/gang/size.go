package gang

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
)

// maxAnswer is how many bytes of JSON the status of a Framework has for an answer.
const maxAnswer = 64 << 10

// CheckSize returns an error for an answer that is too large to be stored.
func CheckSize(answer proto.Message) error {
	text, err := protojson.Marshal(answer)
	if err != nil {
		return err
	}
	if len(text) > maxAnswer {
		return fmt.Errorf("what is to be said of the Framework takes %d bytes, and at most %d can be stored; have fewer task roles", len(text), maxAnswer)
	}
	return nil
}
