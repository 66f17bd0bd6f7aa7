package plugin

import (
	"encoding/json"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"
	strictjson "sigs.k8s.io/json"
)

// Decode reads parameters into a struct, by its JSON tags. A field without a parameter keeps its value, so set defaults
// before. A parameter without a field is an error, as it is likely misspelt; upper and lower case differ. A whole
// number becomes an int64 in a field of type any.
func Decode(parameters *structpb.Struct, into any) error {
	if parameters == nil {
		return nil
	}
	text, err := json.Marshal(parameters.AsMap())
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	// Not encoding/json, which would accept Limit for limit.
	mistakes, err := strictjson.UnmarshalStrict(text, into, strictjson.DisallowUnknownFields)
	if err != nil {
		return fmt.Errorf("parameters: %w", err)
	}
	if len(mistakes) > 0 {
		return fmt.Errorf("parameters: %w", mistakes[0])
	}
	return nil
}

// refusal returns the error that means wrong parameters in the contract. An error that already is a gRPC status is left
// unchanged.
func refusal(err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	return status.Error(codes.InvalidArgument, err.Error())
}
