package lifecycletest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/items"
	"github.com/frameworkcontroller/frameworkcontroller/pkg/lifecycle"
)

// listing is what the controller knows of the items of a role.
type listing struct {
	of      string // where they are: another place is read anew
	list    *items.List
	held    *items.List // the last list with which the attempt may go on
	problem string
	readAt  time.Time
}

// setList: "list <name> a b c": a ConfigMap with these items, or with the lines below; without any, it is deleted.
func (s *Story) setList(args []string, input string) error {
	if len(args) == 0 {
		return errors.New("list wants a name")
	}
	for _, item := range args[1:] {
		input += quoted(item) + "\n"
	}
	if input == "" {
		delete(s.server.lists, args[0])
	} else {
		s.server.lists[args[0]] = input
	}
	return nil
}

func quoted(text string) string {
	out, _ := json.Marshal(text) // a string always has a JSON form
	return string(out)
}

// parseItems reads "a,b,c", "@name" for a list of that name, or "no".
func parseItems(value string, role *v1.TaskRoleSpec) error {
	role.Items = nil
	if value == "no" {
		return nil
	}
	role.Items = &v1.ItemsSpec{}
	if name, ok := strings.CutPrefix(value, "@"); ok {
		role.Items.ConfigMapKeyRef = &v1.ItemsKeyRef{Name: name, Key: "list"}
		return nil
	}
	for _, item := range strings.Split(value, ",") {
		role.Items.Values = append(role.Items.Values, v1.ItemValue{RawMessage: json.RawMessage(quoted(item))})
	}
	return nil
}

// viewItems brings the listings up to the spec, and returns what is known.
func (c *controller) viewItems() map[string]lifecycle.ItemsView {
	specs := map[string]*v1.ItemsSpec{}
	if framework := c.framework(); framework != nil {
		for i := range framework.framework.spec.TaskRoles {
			role := &framework.framework.spec.TaskRoles[i]
			specs[role.Name] = role.Items
		}
	}
	views := map[string]lifecycle.ItemsView{}
	for role, spec := range specs {
		l := c.listing(role)
		l.follow(spec)
		l.hold(c.storedItems(role))
		if spec != nil || l.held != nil {
			views[role] = lifecycle.ItemsView{List: l.list, Held: l.held, Problem: l.problem, ReadAt: l.readAt}
		}
	}
	return views
}

func (c *controller) listing(role string) *listing {
	if c.listings[role] == nil {
		c.listings[role] = &listing{}
	}
	return c.listings[role]
}

// follow turns to the items in the spec, or to another place.
func (l *listing) follow(spec *v1.ItemsSpec) {
	switch {
	case spec == nil:
		*l = listing{held: l.held, problem: "there are no items"}
	case spec.ConfigMapKeyRef == nil:
		list, err := items.FromValues(spec.Values)
		*l = listing{held: l.held, list: list}
		if err != nil {
			l.problem = err.Error()
		}
	case l.of != spec.ConfigMapKeyRef.Name:
		*l = listing{held: l.held, of: spec.ConfigMapKeyRef.Name}
	}
}

// hold remembers the list if the attempt has begun with it.
func (l *listing) hold(stored *v1.ItemsStatus) {
	switch {
	case stored == nil:
		l.held = nil
	case l.list.BeginsWith(stored):
		l.held = l.list
	}
}

func (c *controller) storedItems(role string) *v1.ItemsStatus {
	if c.saved == nil {
		return nil
	}
	status, _ := c.saved.Role(role)
	return status.Items
}

// itemOf returns the item for the Pod of a Task; empty without items.
func (c *controller) itemOf(ref lifecycle.TaskRef) string {
	stored := c.storedItems(ref.Role)
	if stored == nil {
		return ""
	}
	l := c.listing(ref.Role)
	list := lifecycle.ItemsView{List: l.list, Held: l.held}.Of(stored)
	if list == nil {
		c.hooks.failed(fmt.Errorf("the item of %s is not known", ref))
		return ""
	}
	return list.At(ref.Index).String()
}

// prepareItems reads a list.
func (c *controller) prepareItems(f *flight, role string) {
	of := c.listing(role).of
	var text string
	var found bool
	f.send = func() error {
		return c.faults.request(f.action, c.server, func(bool) error {
			text, found = c.server.lists[of]
			return nil
		})
	}
	f.take = func(err error) {
		if err != nil {
			c.retryLater(f.name)
			return
		}
		if l := c.listing(role); l.of == of {
			l.list, l.problem, l.readAt = nil, "it does not exist", c.server.now
			if found {
				l.list, err = items.FromLines(text)
				l.problem = ""
			}
			if err != nil {
				l.problem = err.Error()
			}
		}
		c.changed(f.name)
	}
}
