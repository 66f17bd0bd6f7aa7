package objects

import "fmt"

// MaxPodBytes is the maximum size of a request's JSON in bytes. The API server answers 413 to a larger one.
const MaxPodBytes = 3 << 20

// MaxContainers is the maximum number of containers and init containers of a Pod, as each has the controller's variables in it.
var MaxContainers = MaxPodBytes / len(environmentText.join(&values{}))

// checkContainers refuses too large a Pod before it is built: a container may take three bytes in a template, and
// hundreds of times as many in each Pod.
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
	return fmt.Errorf("%s: it has %d containers, and each gets the variables of its Task; a Pod with more than %d of them exceeds "+
		"the API server's limit of %d bytes", spec.path, n, MaxContainers, MaxPodBytes)
}

// checkSize refuses a Pod that the API server would not read. The error names the size of the variables, which are not
// in the template.
func checkSize(size int, p *podPattern, v *values, path string) error {
	if size <= MaxPodBytes {
		return nil
	}
	return fmt.Errorf("%s: the Pod would have %d bytes, but the API server accepts at most %d; %d of them are the variables of the Task in its %d containers",
		path, size, MaxPodBytes, p.containers*len(v.fixed[environment]), p.containers)
}
