package barrier

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkParse compares the reader with encoding/json, which decodes only the parts that the barrier needs: some unchanged, and a few
// fields of each Task.
func BenchmarkParse(b *testing.B) {
	for _, tasks := range []int{300, 1000} {
		text := []byte(releasedSample(tasks))
		for name, parse := range map[string]func([]byte) error{
			"reader": func(text []byte) error { _, err := parseFramework(text); return err },
			"json":   decodeWanted,
		} {
			b.Run(fmt.Sprintf("%s-%d", name, tasks), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					if err := parse(text); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// releasedSample is a Framework in which all Tasks have an address.
func releasedSample(tasks int) string {
	addresses := make([]string, tasks)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("10.0.%d.%d", i/256, i%256)
	}
	return sampleOf(tasks/2, tasks/2, addresses[:tasks/2], addresses[tasks/2:])
}

func decodeWanted(text []byte) error {
	var object struct{ Metadata, Spec, Status json.RawMessage }
	if err := json.Unmarshal(text, &object); err != nil {
		return err
	}
	f := &framework{rawSpec: object.Spec, hasPlainRoles: true}
	if err := f.complete(); err != nil {
		return err
	}
	var status struct {
		State, Gate       string
		Tasks, Conditions json.RawMessage
		AttemptStatus     struct {
			InstanceUID      string
			TaskRoleStatuses []struct {
				Name         string
				TaskStatuses []struct {
					DeletionPending   bool
					RetryPolicyStatus struct{ RetryDelaySec *int64 }
					AttemptStatus     struct{ PodName, PodIP, PodNodeName string }
				}
			}
		}
	}
	return json.Unmarshal(object.Status, &status)
}
