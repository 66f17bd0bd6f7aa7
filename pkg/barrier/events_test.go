package barrier

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readAll returns the kinds of the events in a stream, and the names of the Frameworks in them.
func readAll(stream string) (kinds, names []string, err error) {
	err = readEvents(strings.NewReader(stream), func(e event) error {
		f, err := e.framework()
		if err == nil {
			kinds, names = append(kinds, e.kind), append(names, f.name)
		}
		return err
	})
	return kinds, names, err
}

// Events are recognized even if a proxy has broken their lines.
func TestEvents(t *testing.T) {
	one := `{"type":"ADDED","object":` + ready + `}`
	var broken bytes.Buffer
	require.NoError(t, json.Indent(&broken, []byte(one), "", "  "))
	for name, stream := range map[string]string{
		"each on a line":       one + "\n" + strings.Replace(one, "ADDED", "MODIFIED", 1) + "\n",
		"lines that are empty": "\n" + one + "\n\r\n" + strings.Replace(one, "ADDED", "MODIFIED", 1) + "\n",
		"broken lines":         broken.String() + "\n" + strings.Replace(broken.String(), "ADDED", "MODIFIED", 1) + "\n",
		"larger than the room": strings.Replace(one, "{", `{"pad":"`+strings.Repeat("x", 3*eventRoom)+`",`, 1) + "\n" +
			strings.Replace(one, "ADDED", "MODIFIED", 1) + "\n",
		"the last is not all": one + "\n" + strings.Replace(one, "ADDED", "MODIFIED", 1) + "\n" + one[:100],
	} {
		kinds, names, err := readAll(stream)
		if err != nil || strings.Join(kinds, " ") != "ADDED MODIFIED" || strings.Join(names, " ") != "train train" {
			t.Errorf("%s: got %v of %v (%v)", name, kinds, names, err)
		}
	}
}

func TestErrorEvent(t *testing.T) {
	_, _, err := readAll(`{"type":"ERROR","object":{"kind":"Status","code":410,"message":"too old"}}` + "\n")
	if refusedWith(err) != 410 || !strings.Contains(err.Error(), "too old") {
		t.Errorf("got %v", err)
	}
}
