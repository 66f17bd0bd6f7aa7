package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
)

// route is a path of the API. The OpenAPI document is made from it, too.
type route struct {
	method, path string
	summary      string
	params       []param
	// example has the type of the answer; nil if it is not JSON.
	example any
	answer  func(*http.Request, values) (any, error)
	// raw answers instead, for requests that are no queries.
	raw func(http.ResponseWriter, *http.Request) error
	// text answers instead, with a text of any length.
	text func(http.ResponseWriter, *http.Request, values) error
	// stream answers instead, with events whose data is of the type of example.
	stream func(http.ResponseWriter, *http.Request, values) error
}

func (s *Server) routes() []route {
	return []route{
		{method: "POST", path: "/api/v1/records", raw: s.ingest,
			summary: "Store the records of a sink: a StoreRequest in the form of protobuf, answered by a StoreResponse"},
		{method: "POST", path: "/api/v1/logs/collect", raw: s.collect,
			summary: "Read the logs of a Pod before it is deleted: a CollectLogsRequest in the form of protobuf, answered by a CollectLogsResponse"},
		{method: "GET", path: "/api/v1/frameworks", answer: s.frameworks, example: historyapi.Page[historyapi.Framework]{},
			summary: "Frameworks that existed in the time range, the newest first by creation and UID",
			params: params("namespace name labelSelector state code type failed cluster since until limit continue",
				param{"node", text, "a Task ended on this node in the time range"},
				param{"details", flag, "with usage and the newest 24 attempts"})},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}", answer: s.framework, example: historyapi.FrameworkDetail{},
			summary: "A Framework with its attempts, the newest first", params: params("uid")},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/tasks", answer: s.tasksOfOne,
			example: historyapi.Page[historyapi.TaskAttempt]{},
			summary: "Attempts of the Tasks of a Framework that have ended: the newest attempt of the Framework first, in it the last that ended",
			params: params("uid attempt role index type code failed details limit continue",
				param{"lastAttempt", number, "only this attempt of the Framework and the ones before it"}, param{"node", text, "the node of the Pod"})},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/object", answer: s.frameworkObject, example: json.RawMessage{},
			summary: "A Framework as it was last seen, without status", params: params("uid")},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/tasks/{role}/{index}/object", answer: s.taskObject, example: json.RawMessage{},
			summary: "The Pod of a Task as it was last seen, without what differs between equal Tasks",
			params:  params("uid attempt", param{"taskAttempt", number, "the attempt of the Task; the newest if it is left out"})},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/first-failure", answer: s.firstFailure, example: historyapi.FirstFailure{},
			summary: "The attempt of a Task that failed first in an attempt of the Framework: the newest one with a failure if it is left out",
			params:  params("uid attempt")},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/explain", answer: s.explain, example: historyapi.Explanation{},
			summary: "How an attempt of the Framework ended, or a Task in it, in the statements of kubectl framework explain",
			params: params("uid index", param{"attempt", number, "the attempt of the Framework; the newest that has ended if it is left out"},
				param{"role", text, "with index: explain this Task"})},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/logs", answer: s.logs, example: historyapi.Page[historyapi.Log]{},
			summary: "Logs of containers that are kept: the newest attempt of the Framework first, in it the last that was collected",
			params:  params("uid attempt role index limit continue")},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/tasks/{role}/{index}/log", text: s.taskLog,
			summary: "The log of one container, as it was written. A line such as '... 12345 bytes not kept ...' stands for what is not kept",
			params: params("uid", param{"attempt", number, "attempt of the Framework; the last that is known of the Task if it is left out"},
				param{"taskAttempt", number, "attempt of the Task; the last if it is left out"},
				param{"container", text, "the first that is no init container if it is left out"},
				param{"previous", flag, "the start of the container before the last"},
				param{"since", instant, "only lines from this time on"}, param{"until", instant, "only lines before this time"},
				param{"tailLines", number, "the number of lines, counted from the end"}, param{"search", text, "only lines with this text"},
				param{"timestamps", flag, "with the time before each line"})},
		{method: "GET", path: "/api/v1/frameworks/{namespace}/{name}/around", answer: s.around, example: historyapi.Page[historyapi.LogLine]{},
			summary: "Lines of all Tasks of an attempt that are nearest to a time, in the order of time",
			params: params("uid limit", param{"attempt", number, "attempt of the Framework; the newest with logs if it is left out"},
				param{"time", instant, "the time; required"},
				param{"window", text, "how far lines may be from it, before and after, such as 30s; 2m if it is left out, 1h at most"})},
		{method: "GET", path: "/api/v1/tasks", answer: s.tasks, example: historyapi.Page[historyapi.TaskAttempt]{},
			summary: "Attempts of Tasks that ended in the time range, the last first",
			params: params("namespace role type code failed details since until limit continue",
				param{"node", text, "the node of the Pod"}, param{"plugin", text, "the plugin that decided"}, param{"rule", text, "the rule that decided"},
				param{"image", text, "the image of a container that is no init container"})},
		{method: "GET", path: "/api/v1/verdicts", answer: s.verdicts, example: historyapi.Page[historyapi.Verdict]{},
			summary: "Judgments on Pods that failed in the time range, the newest first, with the questions",
			params: params("namespace name uid code since until limit continue",
				param{"plugin", text, "the plugin that decided"}, param{"rule", text, "the rule that decided"})},
		{method: "GET", path: "/api/v1/shadow", answer: s.shadow, example: historyapi.ShadowReport{},
			summary: "Answers of classifiers and rules in shadow in the time range, by how they compare with the decisions: what differed most often first",
			params:  params("namespace name uid since until", shadowParams...)},
		{method: "GET", path: "/api/v1/shadow/verdicts", answer: s.shadowVerdicts, example: historyapi.Page[historyapi.ShadowVerdict]{},
			summary: "Answers of classifiers and rules in shadow in the time range, the newest first",
			params: params("namespace name uid since until limit continue", append(slices.Clone(shadowParams),
				param{"differs", flag, "only verdicts that would have changed something"})...)},
		{method: "GET", path: "/api/v1/failures", answer: s.failures, example: historyapi.Failures{},
			summary: "Attempts of Tasks that failed on the days of the time range: the groups first that fail more often than others beyond chance",
			params: params("namespace since until",
				param{"by", text, "code, node, rule, image, or role; code if it is left out"})},
		{method: "GET", path: "/api/v1/report", answer: s.report, example: historyapi.Report{},
			summary: "Requests and use of attempts of Tasks that ended in the time range, the group that lost most first",
			params: params("namespace since until",
				param{"by", text, "namespace, code, node, role, rule, or label:KEY; namespace if it is left out"})},
		{method: "GET", path: "/api/v1/user", answer: s.user, example: historyapi.User{},
			summary: "The user who asks, and a selector of the user's Frameworks if the server has --user-label"},
		{method: "GET", path: "/api/v1/changes", stream: s.changes, example: historyapi.Change{},
			summary: "Server-sent events: rows of the namespace were stored, or of one Framework. With a name, the stream ends with the Framework, and 204 means that it is over already",
			params: params("namespace", param{"name", text, "only the Framework of this name, which needs the namespace"},
				param{"uid", text, "only the Framework with this UID, which needs the name"})},
		{method: "GET", path: "/api/v1/openapi.json", answer: s.openapi, summary: "This document"},
	}
}

// shadowParams choose what is in shadow.
var shadowParams = []param{{"plugin", text, "the plugin in shadow"}, {"shadowRule", number, "the code of the rule in shadow"}}

// common are the parameters that several paths have.
var common = []param{
	{"namespace", text, "only this namespace; all if it is left out, which needs access to all"},
	{"name", text, "only this name"},
	{"labelSelector", text, "labels as in kubectl -l, such as team=a,user!=b"},
	{"state", text, "the state, such as Completed or Deleted"},
	{"code", number, "the completion code"},
	{"type", text, "the type of the completion, Succeeded or Failed, or an attribute, such as Transient"},
	{"failed", flag, "only failures: an attempt of a Task that was cut short, or ended by others, is none"},
	{"cluster", text, "only the ones of this cluster"},
	{"since", instant, "the beginning of the time range; 7 days ago if it is left out"},
	{"until", instant, "the end of the time range; open if it is left out"},
	{"limit", number, "the items of a page at most: 1 to 1000, 100 if it is left out; a page with long texts ends earlier"},
	{"continue", text, "next of the page before"},
	{"uid", text, "the UID, if there were several Frameworks of that name; the newest if it is left out"},
	{"attempt", number, "only this attempt of the Framework"},
	{"role", text, "only this role"},
	{"index", number, "only the Task with this index"},
	{"details", flag, "with containers and requests; also if both role and index are given"},
}

func params(names string, more ...param) (all []param) {
	for _, name := range strings.Fields(names) {
		for _, p := range common {
			if p.name == name {
				all = append(all, p)
			}
		}
	}
	return append(all, more...)
}
