package explain

import (
	"fmt"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
)

// linked states which pages of other systems belong to the Framework, and why others are not shown.
func linked(k *known) (all []Statement) {
	good, ignored := links.Of(&k.Framework.ObjectMeta)
	for _, l := range good {
		all = append(all, Statement{Topic: Link, Subject: Subject{Kind: ofLink, Name: l.Name}, Args: Args{Words: l.URL}})
	}
	for _, l := range ignored {
		all = append(all, Statement{Topic: LinkIgnored, Subject: Subject{Kind: ofLink, Name: l.Name}, Args: Args{Reason: string(l.Reason)}})
	}
	return all
}

// ignoredLinks word why a link is ignored.
var ignoredLinks = map[links.Reason]string{
	links.TooMany:      fmt.Sprintf("a Framework has at most %d.", links.MostLinks),
	links.BadName:      "its name has other characters than letters, digits, '-', '_' and '.'.",
	links.TooLong:      fmt.Sprintf("its address has more than %d bytes.", links.MostBytes),
	links.OfTask:       "its address has a placeholder that differs from Task to Task.",
	links.BadCharacter: "its address has a character that must be encoded, such as a space, a quote or a brace.",
	links.NotHTTP:      "its address does not begin with http:// or https:// and a host.",
	links.Credentials:  "its address has a user before the host, whom everybody could read.",
}

// WhyIgnored words the reason of LinkIgnored.
func (v view) WhyIgnored() string { return ignoredLinks[links.Reason(v.Reason)] }
