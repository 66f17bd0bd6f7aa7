package explain

// eventWords are those of the reasons of warnings; see warned.
var eventWords = map[string]Word{
	"PodRefused": {
		Means: "The API server refused a Pod, and the refusal is for good, so its Task has failed.",
		Next:  []Step{seeSpec, editSpec},
	},
	"PodWarning": {
		Means: "The API server took a Pod, but warns of something in it, such as a field that it does not know.",
		Next:  []Step{seeSpec},
	},
	"PluginSkipped": {
		Means: "Something was decided without a plugin that ought to have been asked.",
		Next:  []Step{seePlugins},
	},
	"HintsWarning": {
		Means: "The plugin of the scheduler says what the scheduler will do that may not be expected.",
		Next:  []Step{seeSpec},
	},
	"StatusRefused": {
		Means: "The API server does not take the status of the Framework, so nothing goes on.",
		Next:  []Step{seeEvents, askAPI},
	},
	"StatusOverwritten": {Means: "Somebody else changed the status, and the controller restores it."},
	"StatusCut":         {Means: "The status is so large that messages of completed Tasks were cut."},
	"RoleDuplicated": {
		Means: "Two roles have the same name, and only the first one counts.",
		Next:  []Step{editSpec},
	},
	"StartAfterUnknown": {
		Means: "A role starts after one that does not exist, which is not waited for.",
		Next:  []Step{editSpec},
	},
	"StartNotHeld": {
		Means: "A role is to start after others, but its pod template has no barrier, so it does not wait.",
		Next:  []Step{editSpec},
	},
	"HostnameTruncated": {Means: "The name of a Pod is too long to be a hostname, so its hostname is cut."},
	"SuccessUnreachable": {
		Means: "minSucceededTaskCount of a role is higher than its number of Tasks, so its Tasks cannot make the Framework succeed.",
		Next:  []Step{editSpec},
	},
	"FailureUnreachable": {
		Means: "minFailedTaskCount of a role is higher than its number of Tasks, so its Tasks cannot make the Framework fail.",
		Next:  []Step{editSpec},
	},
	"KeyVolumeTaken": {
		Means: "A pod template has a volume of its own by the name that the one with the keys of spec.ssh has, so containers get that.",
		Next:  []Step{editSpec},
	},
	"HostPortShared": {
		Means: "Each Task of a role needs the same port of its node, so no two of its Tasks run on one node, and each waits until there is another one.",
		Next:  []Step{editSpec},
	},
	"FieldWithoutEffect": {
		Means: "What a retry policy or a deadline says in one field, another field keeps from having an effect.",
		Next:  []Step{editSpec},
	},
	"GangTooLarge": {
		Means: "spec.scheduling.gang asks for more Tasks than there are, so all of them are meant.",
		Next:  []Step{editSpec},
	},
}
