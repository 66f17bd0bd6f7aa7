package explain

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/links"
)

// The links of a Framework are the last lines about it, now and in the past; a link that is ignored has its reason. Roles and Tasks have
// none.
func TestLinks(t *testing.T) {
	annotations := map[string]string{
		v1.LinkAnnotationPrefix + "tensorboard": "https://tb.example.com/{{FC_FRAMEWORK_NAME}}",
		v1.LinkAnnotationPrefix + "bad":         "javascript:alert(1)",
		v1.LinkAnnotationPrefix + "long":        strings.Repeat("x", 1<<20),
	}
	p := past(7)
	p.Framework.Annotations = annotations
	now := Facts{Framework: &v1.Framework{ObjectMeta: metav1.ObjectMeta{Name: "train", Annotations: annotations}, Status: p.Framework.Status}, Now: p.Now}
	for _, a := range []Answer{PastFramework(p), Framework(now)} {
		lines := a.Lines()
		require.Equal(t, []string{"tensorboard: https://tb.example.com/train",
			"The link bad is ignored: its address does not begin with http:// or https:// and a host.",
			"The link long is ignored: its address has more than 2048 bytes."}, lines[len(lines)-3:])
		requireArguments(t, a)
	}
	require.NotContains(t, saying(Role(now, "worker")), "tensorboard")
	require.NotContains(t, saying(Task(now, "worker", 0)), "tensorboard")
}

// Each reason has words.
func TestReasonsOfIgnoredLinks(t *testing.T) {
	for _, why := range []links.Reason{links.TooMany, links.BadName, links.TooLong, links.OfTask, links.BadCharacter, links.NotHTTP, links.Credentials} {
		require.NotEmpty(t, ignoredLinks[why], why)
	}
}
