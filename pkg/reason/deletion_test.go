package reason

import (
	"fmt"
	"testing"
)

func TestSentenceOfDeleted(t *testing.T) {
	forced := Deletion{Cause: ForcedAfterTimeout, Ended: true, Code: -101, Row: "R2"}
	const meant = "The Pod was still terminating when podGracefulDeletionTimeoutSec was over, so it was deleted by force."
	for _, test := range []struct {
		number int
		want   string
	}{
		{1, "Pod w-0 was deleted, cause ForcedAfterTimeout, code -101, retry row R2. " + meant},
		{3, "3 Pods were deleted (w-0, w-1, w-2), cause ForcedAfterTimeout, code -101, retry row R2. " + meant},
		{12, "12 Pods were deleted (w-0, w-1, w-2, w-3, w-4, w-5, w-6, w-7, w-8, w-9 and 2 more), cause ForcedAfterTimeout, code -101, retry row R2. " + meant},
	} {
		d := Deleted{Kind: Pod, Why: forced}
		for i := range test.number {
			d.Add(fmt.Sprintf("w-%d", i), "", -1)
		}
		if got := d.Sentence(); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
	if got := (Deletion{Cause: Orphan}).Facts(); got != "cause Orphan" {
		t.Errorf("an orphan has %q", got)
	}
}

// The order of answers does not affect the sentence.
func TestSentenceIsStable(t *testing.T) {
	a, b := Deleted{Kind: ConfigMap, Why: Deletion{Cause: Orphan}}, Deleted{Kind: ConfigMap, Why: Deletion{Cause: Orphan}}
	for i := range 3 {
		a.Add(fmt.Sprint(i), "", -1)
		b.Add(fmt.Sprint(2-i), "", -1)
	}
	if a.Sentence() != b.Sentence() {
		t.Errorf("%q and %q", a.Sentence(), b.Sentence())
	}
}

// A deletion that each Task or each attempt has costs no event.
func TestWhatHasAnEvent(t *testing.T) {
	for _, test := range []struct {
		cause Cause
		kind  Kind
		want  bool
	}{
		{TaskRetry, Pod, false}, {TaskEnded, Pod, false}, {AttemptEnded, Pod, false}, {AttemptEnded, ConfigMap, false},
		{Stop, ConfigMap, false}, {Suspension, ConfigMap, false}, {Suspension, Pod, true}, {ScaleDown, Pod, true},
		{ScaleDown, ConfigMap, false}, {Orphan, Pod, true}, {Orphan, ConfigMap, true}, {CollectorLate, ConfigMap, true}, {0, Pod, false},
	} {
		if got := test.cause.Row().HasEvent(test.kind); got != test.want {
			t.Errorf("%s of a %s has an event: %t", test.cause, test.kind, got)
		}
	}
}

// A report about several Pods has no single attempt, and names at most ten.
func TestDeletedIsBounded(t *testing.T) {
	d := Deleted{Kind: Pod}
	if d.Add("a-w-0", "w-0", 3); d.Attempt != 3 {
		t.Errorf("the attempt of one Pod is %d", d.Attempt)
	}
	for range 10_000 {
		d.Add("a-w-1", "w-1", 3)
	}
	if d.Number != 10_001 || len(d.Names) != 10 || len(d.Tasks) != 10 || d.Attempt >= 0 {
		t.Errorf("%d Pods, %d names, %d Tasks, attempt %d", d.Number, len(d.Names), len(d.Tasks), d.Attempt)
	}
}
