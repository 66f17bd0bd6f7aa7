package kubectl

import (
	"time"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// The rows of Parquet files. Programs read their columns: new ones are appended, and none is removed.

type frameworkRow struct {
	Cluster            string            `parquet:"cluster,dict"`
	Namespace          string            `parquet:"namespace,dict"`
	Name               string            `parquet:"framework"`
	UID                string            `parquet:"framework_uid"`
	Labels             map[string]string `parquet:"labels"`
	State              string            `parquet:"state,dict"`
	Queue              string            `parquet:"queue,dict"`
	TemplateDigest     string            `parquet:"template_digest,dict"`
	Created            time.Time         `parquet:"created,timestamp(microsecond)"`
	Completed          *time.Time        `parquet:"completed,timestamp(microsecond)"`
	Code               *int32            `parquet:"code"`
	Phrase             string            `parquet:"phrase,dict"`
	Type               string            `parquet:"type,dict"`
	Attributes         []string          `parquet:"attributes,list"`
	Diagnostics        string            `parquet:"diagnostics"`
	Tasks              int32             `parquet:"tasks"`
	Retries            int32             `parquet:"retries"`
	AccountableRetries int32             `parquet:"accountable_retries"`
	Remedy             string            `parquet:"remedy,dict"`
}

func rowOfFramework(f *historyapi.Framework) frameworkRow {
	row := frameworkRow{Cluster: f.Cluster, Namespace: f.Namespace, Name: f.Name, UID: f.UID, Labels: f.Labels, State: f.State,
		Queue: f.Queue, TemplateDigest: f.TemplateDigest, Created: f.Created, Completed: f.Completed,
		Tasks: f.Tasks, Retries: f.Retries, AccountableRetries: f.AccountableRetries}
	if c := f.Completion; c != nil {
		row.Code, row.Phrase, row.Type, row.Attributes, row.Diagnostics, row.Remedy = &c.Code, c.Phrase, c.Type, c.Attributes, c.Diagnostics, c.Remedy
	}
	return row
}

// completionColumns describe the outcome of an attempt.
type completionColumns struct {
	Code          int32    `parquet:"code"`
	Phrase        string   `parquet:"phrase,dict"`
	Type          string   `parquet:"type,dict"`
	Attributes    []string `parquet:"attributes,list"`
	Plugin        string   `parquet:"plugin,dict"`
	PluginVersion string   `parquet:"plugin_version,dict"`
	Rule          string   `parquet:"rule,dict"`
	Diagnostics   string   `parquet:"diagnostics"`
}

func columnsOf(c *historyapi.Completion) completionColumns {
	return completionColumns{c.Code, c.Phrase, c.Type, c.Attributes, c.Plugin, c.PluginVersion, c.Rule, c.Diagnostics}
}

// retryColumns state whether another attempt follows.
type retryColumns struct {
	Follows      bool   `parquet:"retry_follows"`
	Row          string `parquet:"retry_row,dict"`
	DelaySeconds int64  `parquet:"retry_delay_seconds"`
}

type frameworkAttemptRow struct {
	Namespace    string     `parquet:"namespace,dict"`
	Framework    string     `parquet:"framework,dict"`
	FrameworkUID string     `parquet:"framework_uid,dict"`
	Attempt      int32      `parquet:"framework_attempt"`
	Began        time.Time  `parquet:"began,timestamp(microsecond)"`
	Placed       *time.Time `parquet:"placed,timestamp(microsecond)"`
	Ran          *time.Time `parquet:"ran,timestamp(microsecond)"`
	Ended        time.Time  `parquet:"ended,timestamp(microsecond)"`
	completionColumns
	TriggerRole  string `parquet:"trigger_role,dict"`
	TriggerIndex *int32 `parquet:"trigger_index"`
	Tasks        int32  `parquet:"tasks"`
	retryColumns
	Remedy string `parquet:"remedy,dict"`
}

func rowOfAttempt(f *historyapi.Framework, a *historyapi.FrameworkAttempt) frameworkAttemptRow {
	return frameworkAttemptRow{f.Namespace, f.Name, f.UID, a.ID, a.Began, a.Placed, a.Ran, a.Ended, columnsOf(&a.Completion),
		a.TriggerRole, a.TriggerIndex, a.Tasks, retryColumns(a.Retry), a.Completion.Remedy}
}

type happeningRow struct {
	Namespace        string            `parquet:"namespace,dict"`
	Framework        string            `parquet:"framework,dict"`
	FrameworkUID     string            `parquet:"framework_uid,dict"`
	FrameworkAttempt int32             `parquet:"framework_attempt"`
	Time             time.Time         `parquet:"time,timestamp(microsecond)"`
	Reason           string            `parquet:"reason,dict"`
	Facts            map[string]string `parquet:"facts"`
}

func rowOfHappening(f *historyapi.Framework, h *historyapi.Happening) happeningRow {
	return happeningRow{f.Namespace, f.Name, f.UID, h.FrameworkAttempt, h.Time, h.Reason, h.Facts}
}

type containerRow struct {
	Name     string     `parquet:"name,dict"`
	Init     bool       `parquet:"init"`
	Image    string     `parquet:"image,dict"`
	ImageID  string     `parquet:"image_id,dict"`
	Restarts int32      `parquet:"restarts"`
	ExitCode *int32     `parquet:"exit_code"`
	Signal   int32      `parquet:"signal"`
	Reason   string     `parquet:"reason,dict"`
	Message  string     `parquet:"message"`
	Started  *time.Time `parquet:"started,timestamp(microsecond)"`
	Finished *time.Time `parquet:"finished,timestamp(microsecond)"`
}

type taskAttemptRow struct {
	Namespace        string `parquet:"namespace,dict"`
	Framework        string `parquet:"framework,dict"`
	FrameworkUID     string `parquet:"framework_uid,dict"`
	FrameworkAttempt int32  `parquet:"framework_attempt"`
	Role             string `parquet:"role,dict"`
	Index            int32  `parquet:"index"`
	Attempt          int32  `parquet:"attempt"`
	TaskUID          string `parquet:"task_uid"`
	Pod              string `parquet:"pod"`
	PodUID           string `parquet:"pod_uid"`
	Node             string `parquet:"node,dict"`
	completionColumns
	Began           time.Time  `parquet:"began,timestamp(microsecond)"`
	PodCreated      *time.Time `parquet:"pod_created,timestamp(microsecond)"`
	Scheduled       *time.Time `parquet:"scheduled,timestamp(microsecond)"`
	Initialized     *time.Time `parquet:"initialized,timestamp(microsecond)"`
	Ran             *time.Time `parquet:"ran,timestamp(microsecond)"`
	ContainersEnded *time.Time `parquet:"containers_ended,timestamp(microsecond)"`
	Ended           time.Time  `parquet:"ended,timestamp(microsecond)"`
	DeletionCause   string     `parquet:"deletion_cause,dict"`
	retryColumns
	Requests   map[string]float64 `parquet:"requests"`
	Containers []containerRow     `parquet:"containers,list"`
	Remedy     string             `parquet:"remedy,dict"`
}

func rowOfTask(a *historyapi.TaskAttempt) taskAttemptRow {
	row := taskAttemptRow{a.Namespace, a.FrameworkName, a.FrameworkUID, a.FrameworkAttempt, a.Role, a.Index, a.Attempt, a.TaskUID,
		a.Pod, a.PodUID, a.Node, columnsOf(&a.Completion), a.Began, a.PodCreated, a.Scheduled, a.Initialized, a.Ran,
		a.ContainersEnded, a.Ended, a.DeletionCause, retryColumns(a.Retry), a.Requests, nil, a.Completion.Remedy}
	for _, c := range a.Containers {
		row.Containers = append(row.Containers, containerRow(c))
	}
	return row
}

type shadowVerdictRow struct {
	Namespace         string    `parquet:"namespace,dict"`
	Framework         string    `parquet:"framework,dict"`
	FrameworkUID      string    `parquet:"framework_uid,dict"`
	FrameworkAttempt  int32     `parquet:"framework_attempt"`
	Role              string    `parquet:"role,dict"`
	Index             int32     `parquet:"index"`
	Attempt           int32     `parquet:"attempt"`
	TaskUID           string    `parquet:"task_uid"`
	Time              time.Time `parquet:"time,timestamp(microsecond)"`
	ShadowPlugin      string    `parquet:"shadow_plugin,dict"`
	ShadowRule        int32     `parquet:"shadow_rule"`
	Outcome           string    `parquet:"outcome,dict"`
	DecidedCode       int32     `parquet:"decided_code"`
	DecidedPhrase     string    `parquet:"decided_phrase,dict"`
	DecidedAttributes []string  `parquet:"decided_attributes,list"`
	DecidedPlugin     string    `parquet:"decided_plugin,dict"`
	DecidedRule       string    `parquet:"decided_rule,dict"`
	Code              *int32    `parquet:"code"`
	Phrase            string    `parquet:"phrase,dict"`
	Attributes        []string  `parquet:"attributes,list"`
	Rule              string    `parquet:"rule,dict"`
	Diagnostics       string    `parquet:"diagnostics"`
	Remedy            string    `parquet:"remedy,dict"`
}

func rowOfShadow(v *historyapi.ShadowVerdict) shadowVerdictRow {
	d := &v.Decision
	row := shadowVerdictRow{Namespace: v.Namespace, Framework: v.FrameworkName, FrameworkUID: v.FrameworkUID, FrameworkAttempt: v.FrameworkAttempt,
		Role: v.Role, Index: v.Index, Attempt: v.Attempt, TaskUID: v.TaskUID, Time: v.Time, ShadowPlugin: v.Plugin, ShadowRule: v.Rule, Outcome: v.Outcome,
		DecidedCode: d.Code, DecidedPhrase: d.Phrase, DecidedAttributes: d.Attributes, DecidedPlugin: d.Plugin, DecidedRule: d.Rule}
	if c := v.Verdict; c != nil {
		row.Code, row.Phrase, row.Attributes, row.Rule, row.Diagnostics, row.Remedy = &c.Code, c.Phrase, c.Attributes, c.Rule, c.Diagnostics, c.Remedy
	}
	return row
}
