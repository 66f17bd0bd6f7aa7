package links

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

func of(annotations map[string]string) (good []Link, ignored []Ignored) {
	return Of(&metav1.ObjectMeta{Namespace: "research", Name: "train", Annotations: annotations})
}

// Placeholders of the Framework are replaced, also within the host. Other annotations are no links.
func TestGoodLinks(t *testing.T) {
	good, ignored := of(map[string]string{
		"frameworkcontroller.microsoft.com/link.tensorboard": "https://tb.{{FC_FRAMEWORK_NAMESPACE}}.example.com/{{FC_FRAMEWORK_NAME}}#scalars",
		"frameworkcontroller.microsoft.com/link.logs":        "http://[::1]:5601/app?query=%22{{FC_CONFIGMAP_NAME}}%22&a=(b)",
		"frameworkcontroller.microsoft.com/links":            "https://example.com",
		"example.com/link.mlflow":                            "https://example.com",
	})
	require.Empty(t, ignored)
	require.Equal(t, []Link{{"logs", "http://[::1]:5601/app?query=%22train-attempt%22&a=(b)"}, {"tensorboard", "https://tb.research.example.com/train#scalars"}}, good)
	again, ignored := of(Annotations(good))
	require.Empty(t, ignored)
	require.Equal(t, good, again)
	require.Nil(t, Annotations(nil))
}

// A value that is no address of a page is ignored, with the reason.
func TestIgnoredLinks(t *testing.T) {
	for value, why := range map[string]Reason{
		"javascript:alert(1)":                               NotHTTP,
		"JaVaScRiPt://example.com/%0aalert(1)":              NotHTTP,
		"data:text/html,x":                                  NotHTTP,
		"file:///etc/passwd":                                NotHTTP,
		"//example.com":                                     NotHTTP,
		"example.com":                                       NotHTTP,
		"":                                                  NotHTTP,
		"https://":                                          NotHTTP,
		"https:example.com":                                 NotHTTP,
		"https://:443/x":                                    NotHTTP,
		"https://example.com/%zz%":                          NotHTTP,
		"https://example.com@evil.example/":                 Credentials,
		"https://ada:secret@example.com/":                   Credentials,
		" https://example.com":                              BadCharacter,
		"https://example.com/a b":                           BadCharacter,
		"https://example.com/\"><script>":                   BadCharacter,
		"https://example.com/\n":                            BadCharacter,
		"https://example.com/\x1b[31m":                      BadCharacter,
		"https://example.com/\u202e":                        BadCharacter,
		"https://exämple.com":                               BadCharacter,
		"https://example.com/\xff":                          BadCharacter,
		"https://example.com\\@evil.example":                BadCharacter,
		"https://example.com/{{FC_FRAMEWORK_UID}}":          BadCharacter,
		"https://example.com/{{ FC_FRAMEWORK_NAME }}":       BadCharacter,
		"https://example.com/{{FC_TASK_INDEX}}":             OfTask,
		"https://example.com/" + strings.Repeat("a", 1<<20): TooLong,
	} {
		good, ignored := of(map[string]string{v1.LinkAnnotationPrefix + "x": value})
		require.Empty(t, good, "%.100q", value)
		require.Equal(t, []Ignored{{"x", why}}, ignored, "%.100q", value)
	}
	for _, name := range []string{"", "a b", "<b>", strings.Repeat("a", 64)} {
		_, ignored := of(map[string]string{v1.LinkAnnotationPrefix + name: "https://example.com"})
		require.Equal(t, []Ignored{{name, BadName}}, ignored)
	}
}

// A placeholder may make an address too long, and a Framework has no more links than can be shown.
func TestLimits(t *testing.T) {
	long := "https://example.com/" + strings.Repeat("a", MostBytes-len("https://example.com/"))
	good, _ := of(map[string]string{v1.LinkAnnotationPrefix + "x": long})
	require.Len(t, good, 1)
	at := &metav1.ObjectMeta{Name: strings.Repeat("n", 200), Annotations: map[string]string{v1.LinkAnnotationPrefix + "x": long[:MostBytes-100] + "{{FC_FRAMEWORK_NAME}}"}}
	_, ignored := Of(at)
	require.Equal(t, []Ignored{{"x", TooLong}}, ignored)

	many := map[string]string{}
	for i := range MostLinks + 2 {
		many[fmt.Sprintf("%s%02d", v1.LinkAnnotationPrefix, i)] = "https://example.com"
	}
	good, ignored = of(many)
	require.Len(t, good, MostLinks)
	require.Equal(t, []Ignored{{"20", TooMany}, {"21", TooMany}}, ignored)
}
