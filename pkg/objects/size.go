package objects

import "fmt"

// MaxPodBytes is how many bytes of JSON the API server reads of a request. It answers 413 to one that has more.
const MaxPodBytes = 3 << 20

// MaxContainers is how many containers and init containers a Pod can have at most, as each has our variables in it.
var MaxContainers = MaxPodBytes / len(environmentText.join(&values{}))

// checkContainers refuses what would become too large, before it is made: three bytes are enough for a container, which
// have hundreds of times as many in each Pod.
func checkContainers(spec object) error {
	n := 0
	for _, key := range containerLists {
		containers, err := spec.list(key)
		if err != nil {
			return err
		}
		n += len(containers)
	}
	if n <= MaxContainers {
		return nil
	}
	return fmt.Errorf("%s: it has %d containers, and each gets the variables of its Task; a Pod with more than %d of them has more than "+
		"the %d bytes that the API server takes", spec.path, n, MaxContainers, MaxPodBytes)
}

// checkSize refuses a Pod that the API server would not read. What each container gets is told: it is not in the template.
func checkSize(size int, p *podPattern, v *values, path string) error {
	if size <= MaxPodBytes {
		return nil
	}
	return fmt.Errorf("%s: the Pod would have %d bytes, and the API server takes at most %d; %d of them are the variables of the Task in its %d containers",
		path, size, MaxPodBytes, p.containers*len(v[environment]), p.containers)
}
