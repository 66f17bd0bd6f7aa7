package explain

import "fmt"

// disruptionWords explain the reasons of the condition DisruptionTarget, for which Kubernetes ends a Pod.
var disruptionWords = map[string]string{
	"PreemptionByScheduler":  "The scheduler preempted the Pod to make room for one of higher priority.",
	"DeletionByTaintManager": "The Pod was evicted, as its node got a taint that the Pod does not tolerate; most often the node is not ready or was lost.",
	"EvictionByEvictionAPI":  "The Pod was evicted through the eviction API, as when a node is drained.",
	"DeletionByPodGC":        "The Pod was cleaned up, as its node no longer exists.",
	"TerminationByKubelet":   "The kubelet evicted the Pod because the node was short of memory or disk, or was shut down.",
}

// exitWords explain well-known exit codes.
var exitWords = map[int32]string{
	126: "the command exists, but may not be executed",
	127: "the command was not found",
	130: "it was interrupted, by signal 2 (SIGINT)",
	132: "it was ended by signal 4 (SIGILL): an instruction that the processor does not know",
	134: "it aborted itself, by signal 6 (SIGABRT)",
	135: "it was ended by signal 7 (SIGBUS), often a lack of shared memory",
	136: "it was ended by signal 8 (SIGFPE), such as a division by zero",
	137: "it was killed by signal 9 (SIGKILL)",
	139: "it crashed, by signal 11 (SIGSEGV)",
	141: "it was ended by signal 13 (SIGPIPE)",
	143: "it was asked to end, by signal 15 (SIGTERM)",
}

// containerWords explain the reasons of ended containers.
var containerWords = map[string]string{
	"OOMKilled":                  "It used more memory than its limit allows: raise resources.limits.memory, or have it use less.",
	"ContainerCannotRun":         "The node could not run its command: check command and image.",
	"StartError":                 "The node could not start its command: check command, image and volumes.",
	"ContainerStatusUnknown":     "The node does not know how it ended, as after a crash of the node.",
	"DeadlineExceeded":           "It ran longer than activeDeadlineSeconds of the Pod allows.",
	"CreateContainerError":       "The node could not create it.",
	"CreateContainerConfigError": "Something that it needs is missing, such as a Secret or a ConfigMap.",
}

// exitWord explains an exit code; empty if it is unknown.
func exitWord(code, signal int32) string {
	switch word, known := exitWords[code]; {
	case known:
		return word
	case signal != 0:
		return fmt.Sprintf("by signal %d", signal)
	}
	return ""
}

// kubeletWords explain the kubelet's reasons for a container that does not run.
var kubeletWords = map[string]string{
	"ContainerCreating":         "The node is preparing it.",
	"PodInitializing":           "It comes after the init containers.",
	"CrashLoopBackOff":          "It has ended again and again, and the node waits before it starts it again.",
	"ErrImagePull":              "The node failed to pull the image.",
	"ImagePullBackOff":          "The node failed to pull the image, and waits before it tries again.",
	"InvalidImageName":          "The image name is invalid.",
	"ErrImageNeverPull":         "Its image is not on the node, and imagePullPolicy Never forbids to pull it.",
	"ImageInspectError":         "The node has its image, and cannot read it.",
	"RegistryUnavailable":       "The registry of its image does not answer.",
	"SignatureValidationFailed": "The signature of its image is not accepted.",
}
