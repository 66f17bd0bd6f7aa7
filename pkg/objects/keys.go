package objects

import (
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/frameworkcontroller/frameworkcontroller/pkg/apis/frameworkcontroller/v1"
)

// KeyVolume is the name of the volume from which containers get the keys. If a template has a volume of that name, the template's volume is
// mounted instead.
const KeyVolume = "fc-ssh"

// keyMode is the mode that ssh requires of a private key's file: only its owner may read it. If the Pod has an fsGroup,
// the kubelet lets that group read it, too.
const keyMode = json.Number("256") // 0400

// KeyPair is a pair of ssh keys, each as the text of its file.
type KeyPair struct {
	Private, Public []byte
}

// Names of the files of a Secret with keys.
const (
	privateKeyFile     = "id_ed25519"
	publicKeyFile      = "id_ed25519.pub"
	authorizedKeysFile = "authorized_keys"
	clientConfigFile   = "config"
	serverConfigFile   = "sshd_config"
)

// KeySecret is the Secret with which the Framework's Pods reach each other by ssh: a key pair, and the configurations
// of ssh and sshd for files in that directory. It belongs to the Framework, and not to an attempt.
func KeySecret(f Owner, mountPath string, keys KeyPair) *corev1.Secret {
	meta := f.companion(v1.SecretName(f.Name))
	meta.Annotations = map[string]string{v1.KeyMountPath: mountPath}
	return &corev1.Secret{
		ObjectMeta: meta,
		Type:       corev1.SecretTypeOpaque,
		Data: map[string][]byte{
			privateKeyFile:     keys.Private,
			publicKeyFile:      keys.Public,
			authorizedKeysFile: keys.Public,
			clientConfigFile:   []byte(clientConfig(f.Name, mountPath)),
			serverConfigFile:   []byte(serverConfig(mountPath)),
		},
	}
}

// clientConfig disables host key questions of ssh: the names of Pods are reused with other addresses and host keys. The bare name of a Pod
// resolves to its name in the Framework's Service, as launchers such as Open MPI cut off the rest.
func clientConfig(framework, dir string) string {
	return lines(
		"Host "+framework+"-* !*.*",
		"  HostName %h."+v1.ServiceName(framework),
		"Host *",
		"  IdentityFile "+dir+"/"+privateKeyFile,
		"  IdentitiesOnly yes",
		"  StrictHostKeyChecking no",
		"  UserKnownHostsFile /dev/null",
		"  LogLevel ERROR",
	)
}

// serverConfig makes sshd accept holders of the key pair, and nobody else. The pair is also the host key, so that no
// image needs keys of its own. Modes are not strict: others may write into the directory of a volume, though not into
// the volume.
func serverConfig(dir string) string {
	return lines(
		"HostKey "+dir+"/"+privateKeyFile,
		"AuthorizedKeysFile "+dir+"/"+authorizedKeysFile,
		"StrictModes no",
		"PasswordAuthentication no",
		"KbdInteractiveAuthentication no",
		"PermitRootLogin prohibit-password",
		"PidFile none",
	)
}

func lines(of ...string) string { return strings.Join(of, "\n") + "\n" }

// mountKeys mounts the keys in a directory of each container, unless the template mounts something else there.
func mountKeys(spec object, dir string) error {
	if err := addKeyVolume(spec); err != nil {
		return err
	}
	return eachContainer(spec, func(container object) error { return mountKeysIn(container, dir) })
}

func addKeyVolume(spec object) error {
	volumes, err := spec.list("volumes")
	if err != nil || slices.ContainsFunc(volumes, func(v any) bool { return field(v, "name") == KeyVolume }) {
		return err
	}
	secret := v1.SecretName(tokenStart + v1.KeyFrameworkName + tokenEnd)
	spec.fields["volumes"] = append(volumes, map[string]any{
		"name":   KeyVolume,
		"secret": map[string]any{"secretName": secret, "defaultMode": keyMode},
	})
	return nil
}

func mountKeysIn(container object, dir string) error {
	mounts, err := container.list("volumeMounts")
	if err != nil || slices.ContainsFunc(mounts, func(m any) bool { return field(m, "mountPath") == dir }) {
		return err
	}
	container.fields["volumeMounts"] = append(mounts, map[string]any{"name": KeyVolume, "mountPath": dir, "readOnly": true})
	return nil
}

// field returns a field of an object; nil if the value is no object or lacks the field.
func field(of any, key string) any {
	fields, _ := of.(map[string]any)
	return fields[key]
}
