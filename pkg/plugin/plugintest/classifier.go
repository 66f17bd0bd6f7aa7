package plugintest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// Classifier is the suite for a FailureClassifier.
func Classifier(t *testing.T, start Start, o Options) {
	o.testDescribe(t, start)
	known := slices.Clone(o.Pods)
	for _, r := range o.RefusedPods {
		known = append(known, r.Question)
	}
	judgesPending := o.judgesPending(t, start)
	testQuestions(t, o, start, classifierQuestions(known, judgesPending))
	t.Run("refuses what it should", func(t *testing.T) {
		conn := o.described(t, start)
		for i, r := range o.RefusedPods {
			verdicts := classify(t, o, conn, withUID(r.Question, "it")).GetVerdicts()
			if len(verdicts) != 1 || verdicts[0].GetRefusal() == "" || !strings.Contains(verdicts[0].GetRefusal(), r.Mention) {
				t.Errorf("RefusedPods[%d]: the answer is %v, want a refusal that mentions %q", i, verdicts, r.Mention)
			}
		}
	})
	t.Run("has the opinions it should", func(t *testing.T) {
		conn := o.described(t, start)
		for i, pod := range o.Pods {
			if answer := classify(t, o, conn, withUID(pod, "it")); len(answer.GetVerdicts()) == 0 {
				t.Errorf("none on Pods[%d], %s", i, pod.GetName())
			}
		}
	})
	t.Run("judges each Pod of a batch for itself", func(t *testing.T) { testBatch(t, o, o.described(t, start), judgesPending) })
	t.Run("judges a big batch", func(t *testing.T) { testBigBatch(t, o, o.described(t, start)) })
}

// judgesPending reports whether the plugin states that it judges pending Pods. Otherwise it is not asked about them.
func (o Options) judgesPending(t *testing.T, start Start) bool {
	t.Helper()
	described, err := o.describe(t, start(t), o.Parameters)
	if err != nil {
		t.Fatalf("Describe: %v", err)
	}
	for i, pod := range o.Pods {
		if pod.GetPending() != nil && !described.GetJudgesPending() {
			t.Fatalf("Pods[%d] is pending, but the plugin does not state that it judges such Pods", i)
		}
	}
	return described.GetJudgesPending()
}

func classifierQuestions(known []*pluginpb.FailedPod, judgesPending bool) []question[*pluginpb.ClassifyResponse] {
	questions := []question[*pluginpb.ClassifyResponse]{classifierQuestion("no Pod")}
	for i, pod := range known {
		questions = append(questions, classifierQuestion(fmt.Sprintf("Pods[%d]", i), withUID(pod, "it")))
	}
	for i, pod := range oddPods() {
		questions = append(questions, classifierQuestion(fmt.Sprintf("odd Pod %d, %s", i, pod.GetUid()), pod))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 50 {
		questions = append(questions, classifierQuestion(fmt.Sprintf("random Pod %d", i), withUID(RandomPod(r), "it")))
	}
	if judgesPending {
		for i, pod := range oddPendingPods() {
			questions = append(questions, classifierQuestion(fmt.Sprintf("odd pending Pod %d, %s", i, pod.GetUid()), pod))
		}
		for i := range 50 {
			questions = append(questions, classifierQuestion(fmt.Sprintf("random pending Pod %d", i), withUID(RandomPendingPod(r), "it")))
		}
	}
	return questions
}

func classifierQuestion(name string, pods ...*pluginpb.FailedPod) question[*pluginpb.ClassifyResponse] {
	request := &pluginpb.ClassifyRequest{Pods: pods}
	with := func(r *pluginpb.ClassifyRequest) func(context.Context, grpc.ClientConnInterface) (*pluginpb.ClassifyResponse, error) {
		return func(ctx context.Context, conn grpc.ClientConnInterface) (*pluginpb.ClassifyResponse, error) {
			return pluginpb.NewFailureClassifierClient(conn).Classify(ctx, r)
		}
	}
	return question[*pluginpb.ClassifyResponse]{name, with(request), with(laterPods(request)),
		func(a *pluginpb.ClassifyResponse) error { return CheckVerdicts(request, a) }}
}

func laterPods(request *pluginpb.ClassifyRequest) *pluginpb.ClassifyRequest {
	out := &pluginpb.ClassifyRequest{}
	for _, pod := range request.Pods {
		pod = later(pod)
		for i, c := range pod.Containers {
			pod.Containers[i] = later(c)
		}
		if pod.Pending != nil {
			pod.Pending = later(pod.Pending)
		}
		out.Pods = append(out.Pods, pod)
	}
	return later(out)
}

func classify(t *testing.T, o Options, conn grpc.ClientConnInterface, pods ...*pluginpb.FailedPod) *pluginpb.ClassifyResponse {
	t.Helper()
	request := &pluginpb.ClassifyRequest{Pods: pods}
	answer, err := pluginpb.NewFailureClassifierClient(conn).Classify(o.context(t), request)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckVerdicts(request, answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// testBatch compares the verdicts on a batch with the verdicts on each Pod alone.
func testBatch(t *testing.T, o Options, conn grpc.ClientConnInterface, judgesPending bool) {
	pods := oddPods()
	for i, pod := range o.Pods {
		pods = append(pods, withUID(pod, fmt.Sprintf("known-%d", i)))
	}
	r := rand.New(rand.NewPCG(3, 4))
	for i := range 100 {
		pods = append(pods, withUID(RandomPod(r), fmt.Sprintf("uid-%d", i)))
	}
	if judgesPending {
		for i := range 50 {
			pods = append(pods, withUID(RandomPendingPod(r), fmt.Sprintf("pending-%d", i)))
		}
	}
	r.Shuffle(len(pods), func(i, j int) { pods[i], pods[j] = pods[j], pods[i] })
	together := verdictsByUID(classify(t, o, conn, pods...))
	for _, pod := range pods {
		alone := verdictsByUID(classify(t, o, conn, pod))[pod.GetUid()]
		if !proto.Equal(alone, together[pod.GetUid()]) {
			t.Errorf("%s: with others %v, alone %v", pod.GetUid(), together[pod.GetUid()], alone)
		}
	}
}

// testBigBatch asks about the controller's maximum number of Pods at once.
func testBigBatch(t *testing.T, o Options, conn grpc.ClientConnInterface) {
	r := rand.New(rand.NewPCG(5, 6))
	pods := make([]*pluginpb.FailedPod, plugin.MaxBatch)
	for i := range pods {
		pod := RandomPod(r)
		if len(o.Pods) > 0 && i%2 == 0 {
			pod = o.Pods[i/2%len(o.Pods)]
		}
		pods[i] = withUID(pod, fmt.Sprintf("uid-%d", i))
	}
	classify(t, o, conn, pods...)
}

func verdictsByUID(a *pluginpb.ClassifyResponse) map[string]*pluginpb.Verdict {
	out := map[string]*pluginpb.Verdict{}
	for _, v := range a.GetVerdicts() {
		if v.GetCode() != 0 || v.GetWaitSeconds() != 0 {
			out[v.GetUid()] = v
		}
	}
	return out
}

func withUID(pod *pluginpb.FailedPod, uid string) *pluginpb.FailedPod {
	out := proto.Clone(pod).(*pluginpb.FailedPod)
	out.Uid = uid
	return out
}
