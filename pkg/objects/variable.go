package objects

import v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"

// variable is a value in a Pod that comes from its Task and not from the template.
type variable int

const (
	noVariable variable = iota
	frameworkNamespace
	frameworkName
	taskRoleName
	taskIndex
	configMapName
	podName
	frameworkUID
	frameworkAttemptID
	frameworkAttemptInstanceUID
	configMapUID
	taskRoleUID
	taskUID
	taskAttemptID
	taskAttemptInstanceUID
	// taskRank is the Task's place among all Tasks.
	taskRank
	// hostname is the Pod's name if it can be a hostname, and empty otherwise, which counts as absent. It has no key of
	// its own, nor has serviceName.
	hostname
	serviceName
	// environment is the JSON of all variables that containers get, without brackets. It has no key of its own.
	environment
	// taskItem is the item of the Task, or the value of one of its keys. It has no key of its own.
	taskItem
	variableCount
)

// variableKeys are the names under which variables appear in Pods.
var variableKeys = [variableCount]string{
	frameworkNamespace:          v1.KeyFrameworkNamespace,
	frameworkName:               v1.KeyFrameworkName,
	taskRoleName:                v1.KeyTaskRoleName,
	taskIndex:                   v1.KeyTaskIndex,
	configMapName:               v1.KeyConfigMapName,
	podName:                     v1.KeyPodName,
	frameworkUID:                v1.KeyFrameworkUID,
	frameworkAttemptID:          v1.KeyFrameworkAttemptID,
	frameworkAttemptInstanceUID: v1.KeyFrameworkAttemptInstanceUID,
	configMapUID:                v1.KeyConfigMapUID,
	taskRoleUID:                 v1.KeyTaskRoleUID,
	taskUID:                     v1.KeyTaskUID,
	taskAttemptID:               v1.KeyTaskAttemptID,
	taskAttemptInstanceUID:      v1.KeyTaskAttemptInstanceUID,
	taskRank:                    v1.KeyTaskRank,
}

// Destinations of the variables.
var (
	// podLabels: contract 1.5.
	podLabels = []variable{frameworkName, taskRoleName, taskIndex}
	// podAnnotations: contract 1.5. The environment starts with the same ones, in this order (contract 1.6).
	podAnnotations = []variable{
		frameworkNamespace, frameworkName, taskRoleName, taskIndex, configMapName, podName,
		frameworkUID, frameworkAttemptID, frameworkAttemptInstanceUID, configMapUID,
		taskRoleUID, taskUID, taskAttemptID,
	}
	// tokens: contract 1.7.
	tokens = []variable{frameworkNamespace, frameworkName, taskRoleName, taskIndex, configMapName, podName}
)
