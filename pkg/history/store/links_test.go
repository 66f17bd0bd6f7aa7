package store

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// A Framework has its newest links. Links that the controller would never send are left out.
func TestLinks(t *testing.T) {
	onEach(t, func(t *testing.T, create func(testing.TB) string) {
		s := opened(t, create(t))
		link := func(name, url string) *pluginpb.Link { return &pluginpb.Link{Name: name, Url: url} }
		first := frameworkRecord(about("a", "f", 0), 1, 0, nil)
		first.GetFrameworkRecord().Links = []*pluginpb.Link{link("old", "https://example.com")}
		second := frameworkRecord(about("a", "f", 0), 2, 0, nil)
		second.GetFrameworkRecord().Links = []*pluginpb.Link{link("logs", "https://example.com/logs"), link("script", "javascript:x"), link("b d", "https://example.com"),
			link("long", "https://example.com/"+strings.Repeat("x", 1<<20)), link("bytes", "https://example.com/\xff\x00")}
		for range 2 * links.MostLinks {
			second.GetFrameworkRecord().Links = append(second.GetFrameworkRecord().Links, link("more", "https://example.com"))
		}
		ingested(t, s, []*pluginpb.Record{first})
		ingested(t, s, []*pluginpb.Record{second})
		detail, err := s.Framework(t.Context(), "a", "f", "")
		require.NoError(t, err)
		require.Len(t, detail.Framework.Links, links.MostLinks)
		require.Equal(t, []historyapi.Link{{Name: "logs", URL: "https://example.com/logs"}, {Name: "more", URL: "https://example.com"}}, detail.Framework.Links[:2])
		page, err := s.Frameworks(t.Context(), FrameworkQuery{Limit: 1})
		require.NoError(t, err)
		require.Equal(t, detail.Framework.Links, page.Items[0].Links)
	})
}
