package store

import (
	"encoding/json"

	"github.com/frameworkcontroller/frameworkcontroller/pkg/history/historyapi"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/plugin/pluginpb"
)

// mostContainers limits the containers of a Pod that are stored.
const mostContainers = 64

func limited(records []*pluginpb.ContainerRecord) []*pluginpb.ContainerRecord {
	return records[:min(len(records), mostContainers)]
}

// imagesText is the JSON of the values that are equal for all Pods of a template, which is most of the text.
func imagesText(records []*pluginpb.ContainerRecord) string {
	var all []historyapi.Container
	for _, c := range limited(records) {
		all = append(all, historyapi.Container{Name: name(c.GetName()), Init: c.GetInit(), Image: name(c.GetImage()),
			ImageID: name(c.GetImageId())})
	}
	return jsonText(all)
}

// ending is how a container ended, beside its images.
type ending struct {
	Restarts int32  `json:"n,omitempty"`
	ExitCode *int32 `json:"e,omitempty"`
	Signal   int32  `json:"s,omitempty"`
	Reason   string `json:"r,omitempty"`
	Message  string `json:"m,omitempty"`
	Started  *int64 `json:"b,omitempty"` // microseconds since 1970
	Finished *int64 `json:"f,omitempty"`
}

func endingsText(records []*pluginpb.ContainerRecord) string {
	var all []ending
	for _, c := range limited(records) {
		all = append(all, ending{Restarts: c.GetRestarts(), ExitCode: c.ExitCode, Signal: c.GetSignal(), Reason: name(c.GetReason()),
			Message: clean(c.GetMessage()), Started: at(c.GetStarted()), Finished: at(c.GetFinished())})
	}
	return jsonText(all)
}

// jsonText is empty for an empty list.
func jsonText[T any](all []T) string {
	text, err := json.Marshal(all)
	if err != nil || len(all) == 0 {
		return ""
	}
	return string(text)
}

// containersOf joins the two parts.
func containersOf(images *string, endings string) ([]historyapi.Container, error) {
	if images == nil || *images == "" {
		return nil, nil
	}
	var all []historyapi.Container
	if err := json.Unmarshal([]byte(*images), &all); err != nil {
		return nil, err
	}
	var ends []ending
	if err := json.Unmarshal([]byte(endings), &ends); err != nil {
		return nil, err
	}
	for i, e := range ends[:min(len(ends), len(all))] {
		c := &all[i]
		c.Restarts, c.ExitCode, c.Signal, c.Reason, c.Message = e.Restarts, e.ExitCode, e.Signal, e.Reason, e.Message
		c.Started, c.Finished = timeOrNil(e.Started), timeOrNil(e.Finished)
	}
	return all, nil
}

func (d *dictionary) needImages(records []*pluginpb.ContainerRecord) {
	text := imagesText(records)
	d.images.need(digestOf(text), func() []any { return []any{text} })
}

func (d *dictionary) imagesOf(records []*pluginpb.ContainerRecord) int64 {
	return d.images.id(digestOf(imagesText(records)))
}
