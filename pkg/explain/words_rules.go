package explain

// ruleWords explain the phrases in the rules of the default configuration: the event, and the remedy. A phrase of another
// configuration, or of a plugin, may be any.
var ruleWords = map[string]Word{
	// The node, or Kubernetes, has ended the Pod, or has never begun it.
	"PodEvicted": {
		Means:  "The node evicted the Pod, as it was short of memory, disk or process numbers.",
		Change: "request as much memory and ephemeral-storage as the Pod really uses, so that it gets a node that has it, or have it use less.",
		Next:   []Step{seeEvents, seeNode},
	},
	"PodNodeLost": {
		Means:  "The node of the Pod stopped reporting its status. Nothing is wrong with the application.",
		Change: "nothing, if it happens rarely; otherwise check whether the node comes back.",
		Next:   []Step{seeNodes, seeEvents},
	},
	"PodScheduledToInsufficientResourceNode": {
		Means:  "The node refused the Pod, as it had less room than the scheduler thought. Another try may get another node.",
		Change: "nothing, if it happens rarely; otherwise see what takes room on the node beside the scheduler's Pods, such as static Pods, or a second scheduler.",
		Next:   []Step{seeNode, seeEvents},
	},
	"PodPreemptedForCriticalPod": {
		Means:  "The kubelet preempted the Pod to make room for a critical Pod of the system. Nothing is wrong with the application.",
		Change: "nothing, if it happens rarely; otherwise leave more room on nodes for Pods of the system.",
		Next:   []Step{seeEvents, seeNode},
	},
	"PodDeadlineExceeded": {
		Means:  "The Pod ran longer than activeDeadlineSeconds of its template allows, so its node ended it.",
		Change: "raise activeDeadlineSeconds in the Pod template, leave it out, or have the program end sooner.",
		Next:   []Step{seeSpec, seeLogs},
	},
	"PodNodeAdmissionForbidden": {
		Means:  "The node refused the Pod as forbidden: its settings, such as privileges or sysctls, are not allowed there.",
		Change: "the securityContext of the Pod template, or what the node allows, as the node says.",
		Next:   []Step{seeSpec, seeNode},
	},
	"PodNodeAdmissionUnexpectedError": {
		Means:  "The node could not give the Pod what it asks for, such as a GPU of a device plugin. Another try may well succeed.",
		Change: "nothing, if it happens rarely; otherwise see to the device plugin or the driver on that node.",
		Next:   []Step{seeNode, seeEvents},
	},
	"PodNodeShutdown": {
		Means:  "The node was shut down or restarted. Nothing is wrong with the application.",
		Change: "nothing, if nodes have to go from time to time.",
		Next:   []Step{seeNodes, seeEvents},
	},
	"PodNodeMismatch": {
		Means:  "The node refused the Pod, as the Pod no longer fits: labels or taints have changed since it was scheduled, or another Pod has the port.",
		Change: "nodeName, nodeSelector, tolerations or hostPort of the Pod template, or the labels and taints of the node.",
		Next:   []Step{seeNode, seeSpec},
	},
	"PodNodeAdmissionInvalid": {
		Means:  "The node refused the Pod, as it asks for what this kind of node never runs, such as an unsafe sysctl or another operating system.",
		Change: "the sysctls or the operating system in the Pod template, as the node says.",
		Next:   []Step{seeSpec, seeNode},
	},
	"PodNodeFeatureUnsupported": {
		Means:  "The node refused the Pod, as it lacks a feature that the Pod asks for. Another node may have it.",
		Change: "have the Pod choose nodes with the feature, by nodeSelector, or do without it.",
		Next:   []Step{seeNode, seeSpec},
	},
	"PodNodeTopologyMismatch": {
		Means:  "The node has what the Pod asks for, but not on one NUMA node, as its topology manager demands.",
		Change: "ask for less CPU, memory or devices in one Pod, or relax the topology manager policy of the node.",
		Next:   []Step{seeNode, seeSpec},
	},
	"PodVolumeAttachmentLimitExceeded": {
		Means:  "The node can attach no more volumes.",
		Change: "use fewer volumes in the Pod, or have the CSI driver report the limit that the node really has.",
		Next:   []Step{seeNode, seeEvents},
	},

	// The container runtime.
	"ContainerDockerOOMKilled": {
		Means:  "A container used more memory than its limit allows, so it was killed.",
		Change: "raise resources.limits.memory of the container, or have it use less.",
		Next:   []Step{seeLogs, seeSpec},
	},
	"ContainerDockerCreationError": {
		Means:  "The runtime of the node could not create a container.",
		Change: "the settings, volumes or devices of the container, as the runtime says; or the node, if only this one fails.",
		Next:   []Step{seeSpec, seeNode},
	},
	"ContainerDockerStartCmdPermissionDenied": commandDenied,
	"ContainerDockerStartCmdNotFound":         commandNotFound,
	"ContainerDockerStartUnknownError":        startError,
	"ContainerStatusUnknown": {
		Means:  "A container was gone, and nobody saw how it ended, as after a restart of its node.",
		Change: "nothing, if it happens rarely; otherwise see why the node restarts.",
		Next:   []Step{seeNode, seeEvents},
	},
	"ContainerStartCmdPermissionDenied": commandDenied,
	"ContainerStartCmdNotFound":         commandNotFound,
	"ContainerStartError":               startError,
	"ContainerSeccompKilled": {
		Means:  "A container made a system call that its seccomp profile forbids, so it was killed.",
		Change: "the seccompProfile in its securityContext, or the program.",
		Next:   []Step{seeSpec, seeLogs},
	},

	// A signal.
	"ContainerSigIntReceived": {
		Means:  "A container was interrupted by signal 2 (SIGINT), which somebody sent, or the program itself.",
		Change: "find out who sends the signal, as its log may tell.",
		Next:   []Step{seeLogs},
	},
	"ContainerSigQuitReceived": {
		Means:  "A container was ended by signal 3 (SIGQUIT), which somebody sent, or which its image names as STOPSIGNAL.",
		Change: "find out who sends the signal, as its log may tell.",
		Next:   []Step{seeLogs, seeEvents},
	},
	"ContainerSigIllReceived": {
		Means:  "A container met an instruction that its processor does not know, signal 4 (SIGILL): most often it was built for another processor.",
		Change: "an image that is built for the processors of the nodes, or nodes that fit the image, by nodeSelector.",
		Next:   []Step{seeLogs, seeSpec},
	},
	"ContainerSigAbrtReceived": {
		Means:  "A container aborted itself, by signal 6 (SIGABRT), as programs do on a failed assertion or when memory cannot be had.",
		Change: "the program or its input, as its log tells.",
		Next:   []Step{seeLogs},
	},
	"ContainerSigBusReceived": {
		Means:  "A container was ended by signal 7 (SIGBUS): most often its shared memory in /dev/shm is too small.",
		Change: "mount an emptyDir with medium Memory at /dev/shm, or have the program share less, such as with fewer loader processes.",
		Next:   []Step{seeLogs, seeSpec},
	},
	"ContainerSigFpeReceived": {
		Means:  "A container was ended by signal 8 (SIGFPE), such as by a division of integers by zero.",
		Change: "the program or its input, as its log tells.",
		Next:   []Step{seeLogs},
	},
	"ContainerSigKillReceived": {
		Means:  "A container was killed by signal 9 (SIGKILL): by somebody, by its liveness probe, or by the node, which may have been short of memory.",
		Change: "find out who killed it, as events and the node may tell: where the node is short of memory, request what the container uses.",
		Next:   []Step{seeEvents, seeNode, seeLogs},
	},
	"ContainerSigSegvReceived": {
		Means:  "A container crashed, by signal 11 (SIGSEGV): it used memory that is not its own, which is a mistake in the program or a library.",
		Change: "the program or its libraries: its log, or a core dump, tells where it crashed.",
		Next:   []Step{seeLogs},
	},
	"ContainerSigPipeReceived": {
		Means:  "A container was ended by signal 13 (SIGPIPE): it wrote to a pipe or a connection that no longer has a reader.",
		Change: "have the program handle a reader that is gone, or find out why that ended.",
		Next:   []Step{seeLogs},
	},
	"ContainerSigTermReceived": {
		Means:  "A container was asked to end, by signal 15 (SIGTERM): by somebody, by its liveness probe, or by its node.",
		Change: "nothing, if it has to go from time to time; otherwise find out who asked, as events may tell.",
		Next:   []Step{seeEvents, seeLogs},
	},
}

// Two runtimes, or ways to reach one, name the same failures differently.
var (
	commandDenied = Word{
		Means:  "The command of a container exists, but may not be executed, or is not made for this kind of node.",
		Change: "command and args of the container, or its image: the file has to be executable, and no directory.",
		Next:   []Step{seeSpec},
	}
	commandNotFound = Word{
		Means:  "The command of a container is not in its image.",
		Change: "command of the container: the first word of it is the program, by its path or one on the PATH of the image; or the image.",
		Next:   []Step{seeSpec},
	}
	startError = Word{
		Means:  "The runtime of the node could not start a container, such as for a mount or a device that it cannot set up.",
		Change: "the volumes, devices or settings of the container, as the runtime says; or the node, if only this one fails.",
		Next:   []Step{seeSpec, seeNode},
	}
)
