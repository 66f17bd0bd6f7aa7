package v1

import (
	"strconv"
	"strings"
)

// ConfigMapName is the name of a Framework's attempt ConfigMap, the same for every attempt.
func ConfigMapName(framework string) string { return framework + "-attempt" }

// ServiceName is the name of the Service through which a Framework's Pods find each other.
func ServiceName(framework string) string { return framework }

// SecretName is the name of the Secret with a Framework's keys.
func SecretName(framework string) string { return framework + "-ssh" }

// ClaimName is the name of a PersistentVolumeClaim of a Framework's volume: {framework}-{volume},
// {framework}-{role}-{volume} or {framework}-{role}-{index}-{volume}. Role and index matter only if per gives each role, or each Task, a claim.
func ClaimName(framework, volume string, per VolumePer, role string, index int32) string {
	switch per {
	case VolumePerTask:
		return PodName(framework, role, index) + "-" + volume
	case VolumePerRole:
		return framework + "-" + role + "-" + volume
	}
	return framework + "-" + volume
}

// PodName is the name of a Task's Pod, the same for every attempt of the Task.
func PodName(framework, role string, index int32) string {
	return framework + "-" + role + "-" + strconv.Itoa(int(index))
}

// TaskName is a Task as users write and read it, such as worker-0.
func TaskName(role string, index int32) string { return role + "-" + strconv.Itoa(int(index)) }

// InstanceUID identifies an attempt that exists: it joins the attempt id and the UID of the object created for it.
func InstanceUID(attempt int32, objectUID string) string {
	return strconv.Itoa(int(attempt)) + "_" + objectUID
}

// ParsePodName is the inverse of PodName for the Pods of the named Framework. Framework and role names hold
// no hyphen, so the split is unambiguous; ok is false for a name that PodName cannot have made.
func ParsePodName(framework, pod string) (role string, index int32, ok bool) {
	rest, found := strings.CutPrefix(pod, framework+"-")
	if !found {
		return "", 0, false
	}
	role, number, found := strings.Cut(rest, "-")
	if !found || role == "" {
		return "", 0, false
	}
	n, err := strconv.ParseInt(number, 10, 32)
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != number {
		return "", 0, false
	}
	return role, int32(n), true
}
