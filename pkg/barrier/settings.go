package barrier

import (
	"fmt"
	"strconv"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// Names of the variables that a user may set; the controller sets the others.
const (
	intervalVariable = "BARRIER_CHECK_INTERVAL_SEC"
	timeoutVariable  = "BARRIER_CHECK_TIMEOUT_SEC"
)

// Settings name the Framework to wait for, and the timing.
type Settings struct {
	// Namespace and Name of the Framework; neither is empty.
	Namespace, Name string
	// UID of this Pod's Framework, and instanceUID of its attempt. Empty if the Pod does not state them.
	OwnUID, OwnAttempt string
	// OwnRole is the name of the Pod's role; empty if the Pod does not state it.
	OwnRole string
	// Interval between two reads when polling.
	Interval time.Duration
	// Timeout after which to give up.
	Timeout time.Duration
}

// readSettings reads the environment. An error names the variable and its allowed values.
func readSettings(getenv func(string) string) (s Settings, err error) {
	s = Settings{
		Namespace:  getenv(v1.KeyFrameworkNamespace),
		Name:       getenv(v1.KeyFrameworkName),
		OwnUID:     getenv(v1.KeyFrameworkUID),
		OwnAttempt: getenv(v1.KeyFrameworkAttemptInstanceUID),
		OwnRole:    getenv(v1.KeyTaskRoleName),
	}
	for name, value := range map[string]string{v1.KeyFrameworkNamespace: s.Namespace, v1.KeyFrameworkName: s.Name} {
		if value == "" {
			return s, fmt.Errorf("%s: not set; the controller sets it in every container of a Framework's Pods", name)
		}
	}
	if s.Interval, err = readSeconds(getenv, intervalVariable, 10, 5, maxSeconds); err != nil {
		return s, err
	}
	s.Timeout, err = readSeconds(getenv, timeoutVariable, 600, 60, 1200)
	return s, err
}

// maxSeconds is for a number whose only limit is its type.
const maxSeconds = 1<<31 - 1

func readSeconds(getenv func(string) string, name string, byDefault, least, most int64) (time.Duration, error) {
	text := getenv(name)
	if text == "" {
		return time.Duration(byDefault) * time.Second, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && least <= n && n <= most {
		return time.Duration(n) * time.Second, nil
	}
	allowed := fmt.Sprintf("from %d to %d", least, most)
	if most == maxSeconds {
		allowed = fmt.Sprintf("of %d or more", least)
	}
	return 0, fmt.Errorf("%s: %q is not a whole number of seconds %s", name, text, allowed)
}
