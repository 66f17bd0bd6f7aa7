package plugin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
)

// Decode reads parameters into a struct, by its JSON tags. What the parameters do not mention keeps its value, so set
// defaults before. A parameter that the struct does not have is an error, as it is likely misspelt.
func Decode(parameters *structpb.Struct, into any) error {
	if parameters == nil {
		return nil
	}
	text, err := json.Marshal(parameters.AsMap())
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil && err != io.EOF {
		return fmt.Errorf("parameters: %w", err)
	}
	return nil
}

// refusal is how the contract says that parameters are wrong. An error that is a gRPC status already is left alone.
func refusal(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.InvalidArgument, err.Error())
}
