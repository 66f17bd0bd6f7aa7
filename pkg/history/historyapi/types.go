package historyapi

import (
	"encoding/json"
	"time"
)

// Page is one page of a list, in the order that the endpoint states.
type Page[T any] struct {
	Items []T `json:"items"`
	// Next is the token of the next page, for the parameter "continue"; empty if this is the last one.
	Next string `json:"next,omitempty"`
}

// Completion is the outcome of an attempt.
type Completion struct {
	Code        int32    `json:"code"`
	Phrase      string   `json:"phrase"`
	Type        string   `json:"type"` // Succeeded or Failed
	Attributes  []string `json:"attributes,omitempty"`
	Diagnostics string   `json:"diagnostics,omitempty"`
	// Words are the diagnostics for people; empty if other fields, such as Containers, have the same.
	Words string `json:"words,omitempty"`
	// Remedy says how to avoid the failure, in the words of the rule or the plugin that judged it; empty if it has none.
	Remedy string `json:"remedy,omitempty"`
	// Plugin that decided, its version and its rule; empty if the controller did.
	Plugin        string `json:"plugin,omitempty"`
	PluginVersion string `json:"pluginVersion,omitempty"`
	Rule          string `json:"rule,omitempty"`
}

// StateDeleted is the state of a Framework whose object is gone.
const StateDeleted = "Deleted"

// Framework is a Framework as a whole.
type Framework struct {
	Cluster   string            `json:"cluster,omitempty"`
	Namespace string            `json:"namespace"`
	Name      string            `json:"name"`
	UID       string            `json:"uid"`
	Labels    map[string]string `json:"labels,omitempty"`
	// State is a state of the API, or StateDeleted.
	State          string     `json:"state"`
	Queue          string     `json:"queue,omitempty"`
	TemplateDigest string     `json:"templateDigest,omitempty"`
	Created        time.Time  `json:"created"`
	Completed      *time.Time `json:"completed,omitempty"`
	// DeletedBefore is set if no controller recorded the deletion: when a controller listed all Frameworks at this time, it was gone.
	DeletedBefore *time.Time `json:"deletedBefore,omitempty"`
	// Completion is nil while the last attempt has none.
	Completion         *Completion `json:"completion,omitempty"`
	Tasks              int32       `json:"tasks"`
	Retries            int32       `json:"retries"`
	AccountableRetries int32       `json:"accountableRetries"`
	// Links are pages of other systems that belong to it, by their names.
	Links []Link `json:"links,omitempty"`
	// Usage and LatestAttempts, at most 24 with the newest first, are only in lists, and only if details are asked for.
	Usage          *Usage           `json:"usage,omitempty"`
	LatestAttempts []AttemptOutcome `json:"latestAttempts,omitempty"`
}

// AttemptOutcome is an attempt of a Framework in short: its completion has no diagnostics.
type AttemptOutcome struct {
	ID         int32      `json:"id"`
	Began      time.Time  `json:"began"`
	Ended      time.Time  `json:"ended"`
	Completion Completion `json:"completion"`
}

// Link is a page of another system, such as the TensorBoard of a Framework.
type Link struct {
	// Name of the link, unique within its Framework.
	Name string `json:"name"`
	// URL begins with http:// or https://. Spaces, quotes and markup in it are encoded.
	URL string `json:"url"`
}

// FrameworkAttempt is an attempt of a Framework that has ended.
type FrameworkAttempt struct {
	ID         int32      `json:"id"`
	Began      time.Time  `json:"began"`
	Placed     *time.Time `json:"placed,omitempty"`
	Ran        *time.Time `json:"ran,omitempty"`
	Ended      time.Time  `json:"ended"`
	Completion Completion `json:"completion"`
	// TriggerRole and TriggerIndex name the Task that decided it; empty and nil if none did.
	TriggerRole  string `json:"triggerRole,omitempty"`
	TriggerIndex *int32 `json:"triggerIndex,omitempty"`
	Tasks        int32  `json:"tasks"`
	Retry        Retry  `json:"retry"`
}

// Retry states whether another attempt follows.
type Retry struct {
	Follows bool `json:"follows"`
	// Row of the retry table that decided; empty if none did.
	Row          string `json:"row,omitempty"`
	DelaySeconds int64  `json:"delaySeconds,omitempty"`
}

// TaskAttempt is an attempt of a Task that has ended.
type TaskAttempt struct {
	// Framework, in lists over several of them.
	Namespace     string `json:"namespace,omitempty"`
	FrameworkName string `json:"framework,omitempty"`
	FrameworkUID  string `json:"frameworkUID,omitempty"`

	FrameworkAttempt int32      `json:"frameworkAttempt"`
	Role             string     `json:"role"`
	Index            int32      `json:"index"`
	Attempt          int32      `json:"attempt"`
	TaskUID          string     `json:"taskUID"`
	Pod              string     `json:"pod"`
	PodUID           string     `json:"podUID,omitempty"`
	Node             string     `json:"node,omitempty"`
	Completion       Completion `json:"completion"`
	Began            time.Time  `json:"began"`
	PodCreated       *time.Time `json:"podCreated,omitempty"`
	Scheduled        *time.Time `json:"scheduled,omitempty"`
	Initialized      *time.Time `json:"initialized,omitempty"`
	Ran              *time.Time `json:"ran,omitempty"`
	ContainersEnded  *time.Time `json:"containersEnded,omitempty"`
	Ended            time.Time  `json:"ended"`
	// Containers and Requests are left out of lists.
	Containers []Container `json:"containers,omitempty"`
	// Requests by resource, in cores, bytes, or the number of devices.
	Requests      map[string]float64 `json:"requests,omitempty"`
	DeletionCause string             `json:"deletionCause,omitempty"`
	Retry         Retry              `json:"retry"`
	// Judgment is left out of lists, too; nil if the attempt did not end by the failure of a Pod.
	Judgment *Judgment `json:"judgment,omitempty"`
	// Shadow has the verdicts in shadow on the attempt. It is only there if one Task was asked for.
	Shadow []ShadowVerdict `json:"shadow,omitempty"`
}

// Judgment is how the failure of a Pod was judged, beside the decision.
type Judgment struct {
	// QuestionDigest is equal if all that may matter for a verdict is equal: the first 32 digits of the record's.
	QuestionDigest string `json:"questionDigest"`
	// Question is the message FailedPod of the plugin contract, in the JSON of protobuf.
	Question json.RawMessage `json:"question"`
	// Answer is the message Verdict of the plugin that decided; absent if none did.
	Answer json.RawMessage `json:"answer,omitempty"`
	// DurationSeconds is how long the plugins took; 0 if none was asked.
	DurationSeconds float64 `json:"durationSeconds"`
}

// Verdict is a judgment on a Pod that failed.
type Verdict struct {
	Namespace        string `json:"namespace"`
	FrameworkName    string `json:"framework"`
	FrameworkUID     string `json:"frameworkUID"`
	FrameworkAttempt int32  `json:"frameworkAttempt"`
	Role             string `json:"role"`
	Index            int32  `json:"index"`
	Attempt          int32  `json:"attempt"`
	TaskUID          string `json:"taskUID"`
	// Time is when the attempt of the Task ended.
	Time     time.Time  `json:"time"`
	Decision Completion `json:"decision"`
	Judgment Judgment   `json:"judgment"`
}

// Container is a container of a Pod that has ended.
type Container struct {
	Name     string     `json:"name"`
	Init     bool       `json:"init,omitempty"`
	Image    string     `json:"image,omitempty"`
	ImageID  string     `json:"imageID,omitempty"`
	Restarts int32      `json:"restarts,omitempty"`
	ExitCode *int32     `json:"exitCode,omitempty"`
	Signal   int32      `json:"signal,omitempty"`
	Reason   string     `json:"reason,omitempty"`
	Message  string     `json:"message,omitempty"`
	Started  *time.Time `json:"started,omitempty"`
	Finished *time.Time `json:"finished,omitempty"`
}

// Happening is anything else that happened to a Framework.
type Happening struct {
	Time             time.Time         `json:"time"`
	FrameworkAttempt int32             `json:"frameworkAttempt"`
	Reason           string            `json:"reason"`
	Facts            map[string]string `json:"facts,omitempty"`
}

// Usage is what the ended attempts of the Tasks of a Framework asked for and got.
type Usage struct {
	// RunSeconds are the seconds of attempts between scheduling and end, and LostSeconds those among them of attempts that were
	// followed by a retry, of the Task or of the Framework.
	RunSeconds  float64 `json:"runSeconds"`
	LostSeconds float64 `json:"lostSeconds"`
	// ResourceSeconds and LostResourceSeconds multiply requests by the seconds above, by resource.
	ResourceSeconds     map[string]float64 `json:"resourceSeconds,omitempty"`
	LostResourceSeconds map[string]float64 `json:"lostResourceSeconds,omitempty"`
}

// Failures counts the attempts of Tasks that failed. Attempts that the controller or a user ended have not failed.
type Failures struct {
	// Since and Until are whole days, in UTC.
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
	By    string    `json:"by"`
	// Attempts that ended, and those among them that failed.
	Attempts int64        `json:"attempts"`
	Failed   int64        `json:"failed"`
	Rows     []FailureRow `json:"rows"`
}

// FailureRow is a group of failures, and what it is compared with: for nodes, images and roles all attempts outside the group, for codes
// and rules all attempts in the time of the same length before.
type FailureRow struct {
	// Group is a node, an image, a role, a code with its phrase, or a plugin with its rule, joined by a slash.
	Group string `json:"group"`
	// Completion has the code of the group, its phrase, type and attributes; nil if the group is no code.
	Completion *Completion `json:"completion,omitempty"`
	// Plugin and Rule of the group; empty if it is no rule.
	Plugin string `json:"plugin,omitempty"`
	Rule   string `json:"rule,omitempty"`
	// Attempts of the group, or all if it is a code or a rule, and the failed ones in it.
	Attempts int64 `json:"attempts"`
	Failed   int64 `json:"failed"`
	// Rate is the share of failed ones.
	Rate float64 `json:"rate"`
	// The same of what it is compared with; 0 if there is nothing.
	BaseAttempts int64   `json:"baseAttempts"`
	BaseFailed   int64   `json:"baseFailed"`
	BaseRate     float64 `json:"baseRate"`
	// Lift is how many times as often as the base the group fails, with one more failed attempt in the base. LiftAtLeast is the lift with
	// the lower end of the 95 % confidence interval of Rate.
	Lift        float64 `json:"lift"`
	LiftAtLeast float64 `json:"liftAtLeast"`
}

// FrameworkDetail is a Framework with its attempts, the newest first.
type FrameworkDetail struct {
	Framework  Framework          `json:"framework"`
	Usage      Usage              `json:"usage"`
	Attempts   []FrameworkAttempt `json:"attempts"`
	Happenings []Happening        `json:"happenings"`
	// Outcomes counts the attempts of Tasks by role and outcome, for each attempt of the Framework.
	Outcomes []OutcomeCount `json:"outcomes"`
	// Shadow counts the verdicts in shadow that would have changed something, for each attempt of the Framework.
	Shadow []ShadowDifference `json:"shadow,omitempty"`
}

// OutcomeCount is a number of attempts of Tasks with the same outcome.
type OutcomeCount struct {
	FrameworkAttempt int32    `json:"frameworkAttempt"`
	Role             string   `json:"role"`
	Code             int32    `json:"code"`
	Phrase           string   `json:"phrase"`
	Type             string   `json:"type"`
	Attributes       []string `json:"attributes,omitempty"`
	Count            int64    `json:"count"`
	// FirstEnded is when the first of them ended, with Index as its Task.
	FirstEnded time.Time `json:"firstEnded"`
	FirstIndex int32     `json:"firstIndex"`
}

// ReportRow is one row of a report: what the attempts of Tasks of one group asked for and got.
type ReportRow struct {
	// Group is the value that the rows are grouped by: a namespace, a label's value, a code, a node, a role, or a rule.
	Group    string `json:"group"`
	Attempts int64  `json:"attempts"`
	// Failed leaves out attempts that were cut short, or ended by others.
	Failed int64 `json:"failed"`
	// Seconds of attempts between scheduling and end, and among them the seconds of attempts that were lost: followed by a retry, of
	// the Task or of its Framework.
	RunSeconds  float64 `json:"runSeconds"`
	LostSeconds float64 `json:"lostSeconds"`
	// WaitSeconds is the time between the beginning of attempts and their nodes, and from there to running.
	WaitSeconds  float64 `json:"waitSeconds"`
	StartSeconds float64 `json:"startSeconds"`
	// ResourceSeconds and LostResourceSeconds multiply requests by the seconds above, by resource.
	ResourceSeconds     map[string]float64 `json:"resourceSeconds,omitempty"`
	LostResourceSeconds map[string]float64 `json:"lostResourceSeconds,omitempty"`
}

// Report is the answer about a time range.
type Report struct {
	Since time.Time   `json:"since"`
	Until time.Time   `json:"until"`
	By    string      `json:"by"`
	Rows  []ReportRow `json:"rows"`
}

// Error is the body of every answer that is not a success.
type Error struct {
	Status int `json:"status"`
	// Message names the parameter and the way out.
	Message string `json:"message"`
}
