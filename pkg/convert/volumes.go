package convert

import (
	"path"
	"slices"
	"strings"
)

// volume is a volume of a Framework under construction.
type volume struct {
	name, mountPath string
	role            string // the only role that has it; empty for all
	containers      []any  // that have it; nil for all
	claim           any
	retained        bool
}

func (v *volume) manifest() map[string]any {
	out := map[string]any{"name": v.name, "mountPath": v.mountPath, "claim": v.claim}
	put(out, "role", v.role)
	put(out, "containers", v.containers)
	if v.retained {
		out["retention"] = "Retain"
	}
	return out
}

// mostVolumes limits the volumes of a Framework.
const mostVolumes = 20

// roomFor says why a Framework cannot have a volume with that claim in a folder; empty if it can.
func (f *framework) roomFor(folder string, claim any) string {
	_, isObject := claim.(map[string]any)
	clean := path.Clean(folder)
	switch {
	case !isObject:
		return "the claim is not an object"
	case len(f.volumes) == mostVolumes:
		return "a Framework has at most 20 volumes"
	case !plainFolder.MatchString(clean) || len(clean) > longestFolder:
		return "mountPath must be an absolute path of letters, digits, '.', '_' and '-'"
	case slices.ContainsFunc(f.volumes, func(v *volume) bool { return v.mountPath == clean }), f.ssh && f.sshPath == clean:
		return "another volume has that mountPath"
	}
	return ""
}

// volumeNamed returns a free name for a volume of the Framework, which begins with a letter: the wanted one, as far as allowed.
func (f *framework) volumeNamed(wanted string) string {
	plain := strings.TrimLeft(PlainName(wanted), "0123456789")
	if plain == "" {
		plain = "volume"
	}
	return freeName(plain, func(name string) bool {
		return slices.ContainsFunc(f.volumes, func(v *volume) bool { return v.name == name }) ||
			slices.ContainsFunc(f.roles, func(r *role) bool { return r.pod.hasVolume(name) })
	})
}

func (t *template) hasVolume(name string) bool {
	volumes, _ := t.spec()["volumes"].([]any)
	return slices.ContainsFunc(volumes, func(v any) bool { return isNamed(v, name) })
}

// mountsIn reports whether a container has something mounted in a folder.
func (t *template) mountsIn(folder string) bool {
	return slices.ContainsFunc(t.allContainers(), func(c map[string]any) bool {
		mounts, _ := c["volumeMounts"].([]any)
		return slices.ContainsFunc(mounts, func(m any) bool { return isMountedAt(m, folder) })
	})
}

// volcanoVolume adds a volume to the Pods of all tasks.
func (c *conversion) volcanoVolume(of *fields, tasks []*volcanoTask) {
	folder, existing := of.text("mountPath"), of.text("volumeClaimName")
	if of.has("volumeClaim") {
		c.volcanoClaim(of, folder, existing, tasks)
		return
	}
	if existing == "" {
		of.note("volumeClaimName", "dropped, because it has no claim; add a volume to the Pod templates")
		return
	}
	for _, t := range tasks {
		t.pod.mount(t.pod.containers(), volumeName(existing), folder, map[string]any{"persistentVolumeClaim": map[string]any{"claimName": existing}})
	}
}

// volcanoClaim adds a volume whose claim Volcano would create for the Job.
func (c *conversion) volcanoClaim(of *fields, folder, called string, tasks []*volcanoTask) {
	claim := of.take("volumeClaim")
	why := c.roomFor(folder, claim)
	if why == "" && slices.ContainsFunc(tasks, func(t *volcanoTask) bool { return t.pod.mountsIn(folder) }) {
		why = "a Pod template mounts something else there"
	}
	if why != "" {
		of.note("volumeClaim", "%s; create the PersistentVolumeClaim yourself, and name it in volumes of the Pod templates, mounted at %s", why, folder)
		return
	}
	wanted := called
	if wanted == "" {
		wanted = path.Base(folder)
	}
	v := &volume{name: c.volumeNamed(wanted), mountPath: path.Clean(folder), claim: claim}
	c.volumes = append(c.volumes, v)
	if called != "" {
		of.note("volumeClaimName", "the claim is named %s-%s instead of %s", c.ownName(), v.name, called)
	}
}

// jobSetVolumes adds the volumes whose claims the JobSet would create. Pods have them that mount them.
func (c *conversion) jobSetVolumes(policies []*fields) {
	for _, policy := range policies {
		retained := policy.object("retentionPolicy").oneOf("whenDeleted", "Delete", "Retain") == "Retain"
		for _, template := range policy.objects("templates") {
			metadata := template.object("metadata")
			called, claim := metadata.text("name"), template.take("spec")
			metadata.skip("creationTimestamp")
			for _, kind := range []string{"labels", "annotations"} {
				metadata.lose(kind, "dropped, because claims of a Framework have no words of their own")
			}
			template.skip("apiVersion", "kind", "status")
			c.jobSetVolume(template, called, claim, retained)
		}
	}
}

func (c *conversion) jobSetVolume(of *fields, called string, claim any, retained bool) {
	v := &volume{claim: claim, retained: retained}
	var mounts []map[string]any
	var roles []*role
	for _, r := range c.roles {
		found := r.pod.mountsOf(called)
		if len(found) > 0 {
			roles = append(roles, r)
		}
		for _, m := range found {
			at, _ := m.mount["mountPath"].(string)
			if v.mountPath == "" {
				v.mountPath = path.Clean(at)
			}
			if path.Clean(at) == v.mountPath {
				m.mount["mountPath"] = v.mountPath
				if !slices.Contains(v.containers, m.container) {
					v.containers = append(v.containers, m.container)
				}
			}
			mounts = append(mounts, m.mount)
		}
	}
	if len(mounts) == 0 {
		of.note("metadata.name", "dropped, because no container mounts volume %s", called)
		return
	}
	if why := c.roomFor(v.mountPath, claim); why != "" {
		of.note("spec", "%s; create the PersistentVolumeClaim yourself, and name it in volumes of the Pod templates", why)
		return
	}
	v.name = c.volumeNamed(called)
	for _, mount := range mounts {
		mount["name"] = v.name
	}
	if len(roles) == 1 && len(c.roles) > 1 {
		v.role = roles[0].name
	}
	c.volumes = append(c.volumes, v)
	if before, after := called+"-"+c.sourceName(), c.ownName()+"-"+v.name; before != after {
		of.note("metadata.name", "the claim is named %s instead of %s; a claim that exists is not used", after, before)
	}
}

// mounted is a mount in a container.
type mounted struct {
	container any // its name
	mount     map[string]any
}

// mountsOf returns the mounts of a volume that the template itself does not have.
func (t *template) mountsOf(volume string) (found []mounted) {
	if t.hasVolume(volume) {
		return nil
	}
	for _, c := range t.allContainers() {
		mounts, _ := c["volumeMounts"].([]any)
		for _, m := range mounts {
			if isNamed(m, volume) {
				found = append(found, mounted{c["name"], m.(map[string]any)})
			}
		}
	}
	return found
}
