package objects

import (
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
)

// itemEnvironment is the JSON of the environment variables of an item, each after a comma. They come last, and refer to nothing: the
// kubelet would replace a reference to another variable in them.
func itemEnvironment(item []items.Variable) string {
	var out strings.Builder
	for _, v := range item {
		out.WriteString(`,{"name":"` + v.Name + `","value":"` + jsonText(strings.ReplaceAll(v.Value, "$", "$$")) + `"}`)
	}
	return out.String()
}
