package links

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

const (
	// MostLinks is how many links a Framework may have, in the order of their names.
	MostLinks = 20
	// MostBytes is the length of an address, with its placeholders replaced.
	MostBytes = 2048
	// mostName is the length of a name: of the rest of an annotation's key.
	mostName = 63
)

// Link is a page that belongs to a Framework.
type Link struct{ Name, URL string }

// Reason is why a link is ignored.
type Reason string

// The reasons.
const (
	// TooMany links come before it.
	TooMany Reason = "TooMany"
	// BadName: the rest of the key is no name that an annotation may have.
	BadName Reason = "BadName"
	// TooLong is an address with more than MostBytes bytes.
	TooLong Reason = "TooLong"
	// OfTask: it has a placeholder for a value that differs from Task to Task.
	OfTask Reason = "OfTask"
	// BadCharacter: it has a character that has to be encoded in an address, such as a space.
	BadCharacter Reason = "BadCharacter"
	// NotHTTP: it does not begin with http:// or https:// and a host.
	NotHTTP Reason = "NotHTTP"
	// Credentials before the host would be shown to everybody.
	Credentials Reason = "Credentials"
)

// Ignored is a link that is not shown.
type Ignored struct {
	Name   string
	Reason Reason
}

// Of returns the links of a Framework, and the ignored ones, by their names.
func Of(meta *metav1.ObjectMeta) (good []Link, ignored []Ignored) {
	var all []Link
	for key, value := range meta.Annotations {
		if name, ok := strings.CutPrefix(key, v1.LinkAnnotationPrefix); ok {
			all = append(all, Link{name, value})
		}
	}
	slices.SortFunc(all, func(a, b Link) int { return cmp.Compare(a.Name, b.Name) })
	values := strings.NewReplacer(
		placeholder(v1.KeyFrameworkNamespace), meta.Namespace,
		placeholder(v1.KeyFrameworkName), meta.Name,
		placeholder(v1.KeyConfigMapName), v1.ConfigMapName(meta.Name))
	for _, l := range all {
		var why Reason
		switch {
		case len(good) == MostLinks:
			why = TooMany
		case len(l.URL) > MostBytes: // before anything else looks at it
			why = TooLong
		case ofTask(l.URL):
			why = OfTask
		default:
			l.URL = values.Replace(l.URL)
			why = Check(l)
		}
		if why == "" {
			good = append(good, l)
		} else {
			ignored = append(ignored, Ignored{l.Name, why})
		}
	}
	return good, ignored
}

// Check returns why a link is ignored, after its placeholders were replaced; an empty reason if it is good.
func Check(l Link) Reason {
	if !isName(l.Name) {
		return BadName
	}
	if len(l.URL) > MostBytes {
		return TooLong
	}
	if !containsOnly(l.URL, urlCharacters) {
		return BadCharacter
	}
	at, err := url.Parse(l.URL)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return NotHTTP
	case at.User != nil:
		return Credentials
	}
	return ""
}

// Annotations returns annotations with these links.
func Annotations(of []Link) map[string]string {
	if len(of) == 0 {
		return nil
	}
	all := map[string]string{}
	for _, l := range of {
		all[v1.LinkAnnotationPrefix+l.Name] = l.URL
	}
	return all
}

const (
	wordCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	// urlCharacters are the characters of RFC 3986.
	urlCharacters = wordCharacters + "-._~:/?#[]@!$&'()*+,;=%"
)

// isName reports whether the API server accepts the name as the rest of a key.
func isName(name string) bool {
	return name != "" && len(name) <= mostName && containsOnly(name, wordCharacters+"-._")
}

func containsOnly(text, characters string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune(characters, r) })
}

func placeholder(key string) string { return "{{" + key + "}}" }

func ofTask(text string) bool {
	return slices.ContainsFunc([]string{v1.KeyTaskRoleName, v1.KeyTaskIndex, v1.KeyPodName}, func(key string) bool {
		return strings.Contains(text, placeholder(key))
	})
}
