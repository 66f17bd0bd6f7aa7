package v1

// Finalizer that the attempt ConfigMap is created with, so that any deletion of it becomes a foreground
// cascade: it disappears only after all its Pods are gone (contract 1.4).
const AttemptConfigMapFinalizer = "foregroundDeletion"

// ManagedByThis is the value of FrameworkSpec.ManagedBy for this controller; an empty ManagedBy means the same.
const ManagedByThis = "frameworkcontroller.microsoft.com/frameworkcontroller"

// Keys of the labels, annotations and environment variables that tie ConfigMaps and Pods to the Framework,
// TaskRole, Task and attempt they were made for. Which object carries which key: contract 1.5 and 1.6.
const (
	KeyFrameworkNamespace          = "FC_FRAMEWORK_NAMESPACE"
	KeyFrameworkName               = "FC_FRAMEWORK_NAME"
	KeyTaskRoleName                = "FC_TASKROLE_NAME"
	KeyTaskIndex                   = "FC_TASK_INDEX"
	KeyConfigMapName               = "FC_CONFIGMAP_NAME"
	KeyPodName                     = "FC_POD_NAME"
	KeyFrameworkUID                = "FC_FRAMEWORK_UID"
	KeyFrameworkAttemptID          = "FC_FRAMEWORK_ATTEMPT_ID"
	KeyFrameworkAttemptInstanceUID = "FC_FRAMEWORK_ATTEMPT_INSTANCE_UID"
	KeyConfigMapUID                = "FC_CONFIGMAP_UID"
	KeyTaskRoleUID                 = "FC_TASKROLE_UID"
	KeyTaskUID                     = "FC_TASK_UID"
	KeyTaskAttemptID               = "FC_TASK_ATTEMPT_ID"
	// Annotation only: AvoidRequire if the Pod must not go to nodes that its Framework avoids.
	KeyAvoidNodes = "FC_AVOID_NODES"
	// Annotation only: TaskSpec.CompletionContainers at the creation of the Pod,
	// separated by commas.
	KeyCompletionContainers = "FC_COMPLETION_CONTAINERS"
	// Environment only: the Pod's own UID, from the downward API, and {attempt id}_{Pod UID}.
	KeyPodUID                 = "FC_POD_UID"
	KeyTaskAttemptInstanceUID = "FC_TASK_ATTEMPT_INSTANCE_UID"
	// Environment only, if the spec has a network: the number of Tasks in all
	// roles, the Task's rank among them, and, with the role's name appended
	// unchanged, the number of Tasks in a role. No other variable has the prefix
	// of the last one.
	KeyTaskCount    = "FC_TASK_COUNT"
	KeyTaskRank     = "FC_TASK_RANK"
	PrefixTaskCount = "FC_TASK_COUNT_"
	// Environment only, if the role has items: the Task's item. With _ and a key in
	// upper case appended, the value of that key.
	KeyTaskItem = "FC_TASK_ITEM"
	// Annotation only of the Secret with a Framework's keys: the SSHSpec.MountPath
	// that its files refer to.
	KeyMountPath = "FC_MOUNT_PATH"
)

// LinkAnnotationPrefix begins the keys of annotations of a Framework that name pages of other systems: the rest of the key is the name of the link, and
// the value its address.
const LinkAnnotationPrefix = "frameworkcontroller.microsoft.com/link."

// Reserved values of RetryPolicySpec.MaxRetryCount (contract 3.1).
const (
	// RetryAlways retries after success too; this is how services run.
	RetryAlways int32 = -2
	// RetryOnFailure retries any failure without limit.
	RetryOnFailure int32 = -1
)
