package convert

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// word is a label or an annotation that a controller gives to Pods. It is added to a template if its key is mentioned
// anywhere.
type word struct {
	key, value string
	kinds      []string // labels, annotations or both
}

var (
	asLabel      = []string{"labels"}
	asAnnotation = []string{"annotations"}
	asBoth       = []string{"labels", "annotations"}
)

// gives adds words that the controller gives to the Pods of a role.
func (r *role) gives(kinds []string, keysAndValues ...string) {
	for i := 0; i+1 < len(keysAndValues); i += 2 {
		r.words = append(r.words, word{keysAndValues[i], keysAndValues[i+1], kinds})
	}
}

// mention is a place where the key of a label or an annotation occurs.
type mention struct{ path, key string }

// nodeFields are fields whose keys are labels of nodes, or not labels at all.
var nodeFields = []string{"nodeSelector", "nodeAffinity", "tolerations", "topologyKey", "resources", "image", "metadata"}

// bareKeys are keys without a domain that controllers give to Pods, or have given in earlier versions.
var bareKeys = []string{
	"job-name", "controller-uid", "replica-type", "replica-index", "job-role", "group-name", "tf-job-name", "tf-replica-type",
	"tf-replica-index", "pytorch-job-name", "pytorch-replica-type", "pytorch-replica-index", "group_name",
}

var (
	bracketed = regexp.MustCompile(`\['([^']+)'\]`) // as in metadata.labels['job-name']
	inText    = regexp.MustCompile(`(?:^|[^\w./-])((?:[a-z0-9-]+\.)+[a-z]+/[A-Za-z0-9][\w.-]*)`)
	compared  = regexp.MustCompile(`(?:^|[\s,"'(])(` + strings.Join(bareKeys, "|") + `)(?:=|!=| in| notin)`)
)

// mentionsIn finds keys of labels and annotations: in selectors, in the fields that constraints compare, in paths of the
// downward API, and in texts such as the arguments of kubectl.
func mentionsIn(path string, value any) (all []mention) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if slices.Contains(nodeFields, key) {
				continue
			}
			inner := strings.TrimPrefix(path+"."+key, ".")
			switch key {
			case "matchLabels", "selector":
				of, _ := v[key].(map[string]any)
				for _, label := range slices.Sorted(maps.Keys(of)) {
					all = append(all, mention{inner, label})
				}
			case "key":
				all = appendText(all, inner, v[key])
			case "matchLabelKeys", "mismatchLabelKeys":
				of, _ := v[key].([]any)
				for _, label := range of {
					all = appendText(all, inner, label)
				}
				continue
			}
			all = append(all, mentionsIn(inner, v[key])...)
		}
	case []any:
		for i, each := range v {
			all = append(all, mentionsIn(fmt.Sprintf("%s[%d]", path, i), each)...)
		}
	case string:
		for _, pattern := range []*regexp.Regexp{bracketed, inText, compared} {
			for _, found := range pattern.FindAllStringSubmatch(v, -1) {
				all = append(all, mention{path, found[1]})
			}
		}
	}
	return all
}

// pathOf returns the path of the first occurrence of a text, even within another one; empty without one.
func pathOf(path string, value any, text string) string {
	return pathWhere(path, value, func(whole string) bool { return strings.Contains(whole, text) })
}

// pathWhere returns the path of the first matching text; empty without one.
func pathWhere(path string, value any, fits func(string) bool) string {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if found := pathWhere(path+"."+key, v[key], fits); found != "" {
				return found
			}
		}
	case []any:
		for i, each := range v {
			if found := pathWhere(fmt.Sprintf("%s[%d]", path, i), each, fits); found != "" {
				return found
			}
		}
	case string:
		if fits(v) {
			return path
		}
	}
	return ""
}

func appendText(all []mention, path string, key any) []mention {
	if text, ok := key.(string); ok {
		all = append(all, mention{path, text})
	}
	return all
}

// givenWords adds labels and annotations that controllers give to Pods to all templates if one of them, or another object of the file,
// mentions them, and reports the ones that no Pod has.
func (c *conversion) givenWords(beside []mention) {
	var within []mention
	for _, r := range c.roles {
		c.templateKeys(r.pod)
		within = append(within, mentionsIn(r.pod.path+".spec", r.pod.source)...)
	}
	mentioned := map[string]bool{}
	for _, m := range slices.Concat(within, beside) {
		mentioned[m.key] = true
	}
	for _, r := range c.roles {
		for _, w := range r.words {
			for _, kind := range w.kinds {
				if mentioned[w.key] {
					r.pod.word(kind, w.key, w.value)
				}
			}
		}
		for _, w := range c.carried {
			r.pod.word(w.kinds[0], w.key, w.value)
		}
	}
	for _, r := range c.roles {
		r.wholeWords(c.kind)
	}
	for _, m := range within {
		if (isOfSystem(m.key) || m.key == "controller-uid") && !c.anyPodHas(m.key) {
			c.say(m.path, "Pods of a Framework do not have %s; the closest equivalents are the labels FC_FRAMEWORK_NAME, FC_TASKROLE_NAME and FC_TASK_INDEX, and the environment variables FC_FRAMEWORK_UID and FC_FRAMEWORK_ATTEMPT_ID", m.key)
		}
	}
}

// wholeWords reports labels or annotations of the source that are missing in a downward API file with all of a Pod's: such a
// file mentions no key, so none is added to the template because of it.
func (r *role) wholeWords(source string) {
	for _, kind := range asBoth {
		path := pathWhere(r.pod.path+".spec", r.pod.source, func(text string) bool { return text == "metadata."+kind })
		if path == "" {
			continue
		}
		var missing []string
		for _, w := range r.words {
			if slices.Contains(w.kinds, kind) && r.pod.words(kind)[w.key] == nil {
				missing = append(missing, w.key)
			}
		}
		if len(missing) > 0 {
			r.pod.say(path, "the file lacks %s that Pods of a %s have: %s. Add to the template each one that a program reads", kind, source, strings.Join(missing, ", "))
		}
	}
}

func (f *framework) anyPodHas(key string) bool {
	return slices.ContainsFunc(f.roles, func(r *role) bool {
		return r.pod.words("labels")[key] != nil || r.pod.words("annotations")[key] != nil
	})
}
