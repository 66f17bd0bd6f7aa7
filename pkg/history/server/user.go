package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// user answers with the name of the sender, and how to select the Frameworks of that user.
func (s *Server) user(r *http.Request, _ values) (any, error) {
	if s.access == nil {
		return historyapi.User{}, nil
	}
	of, err := s.access.who(r, "")
	if err != nil {
		return nil, err
	}
	return historyapi.User{Name: of.Username, LabelSelector: ownFrameworks(s.userLabel, of.Username)}, nil
}

// ownFrameworks selects the Frameworks whose label has the name of a user, as it is or in short: ann for oidc:ann@example.com. It is empty
// if there is no such label, or if neither name can be the value of one.
func ownFrameworks(label, name string) string {
	if label == "" {
		return ""
	}
	short := name[strings.LastIndexAny(name, ":/")+1:]
	short, _, _ = strings.Cut(short, "@")
	var values []string
	for _, value := range []string{name, short} {
		if value != "" && len(validation.IsValidLabelValue(value)) == 0 && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	switch len(values) {
	case 0:
		return ""
	case 1:
		return label + "=" + values[0]
	}
	return fmt.Sprintf("%s in (%s)", label, strings.Join(values, ","))
}
