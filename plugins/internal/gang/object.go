package gang

import (
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Object returns an object of the answer. See JSON for what it may hold.
func Object(of any) *pluginpb.Object { return &pluginpb.Object{Json: JSON(of)} }

// JSON encodes a value that has a form in JSON: it holds texts, numbers, times and JSON that has been read before. It panics on
// others, which are mistakes in the plugin.
func JSON(of any) []byte {
	text, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return text
}
