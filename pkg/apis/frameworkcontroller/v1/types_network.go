package v1

// NetworkSpec says by which names the Pods of a Framework find each other.
type NetworkSpec struct {
	// Give each Pod a name that the cluster's DNS resolves:
	// {framework}-{role}-{index}.{framework}.{namespace}.svc. For that, a headless
	// Service is made that is named as the Framework, and a Pod gets its own name
	// as hostname and the Framework's as subdomain, unless its template differs.
	// The Framework's name has to begin with a letter before Kubernetes 1.35, and
	// a Pod's can have 63 characters. The Service stays from attempt to attempt,
	// is mended if somebody deletes or changes it, and goes with the Framework, or
	// with this field.
	// +optional
	DNS bool `json:"dns,omitempty"`

	// Whether the names resolve as soon as a Pod has an address. With false, only
	// those of Pods that are ready do, and a Pod that waits for the others before
	// it is ready waits for ever.
	// +kubebuilder:default=true
	// +optional
	PublishNotReadyAddresses *bool `json:"publishNotReadyAddresses,omitempty"`
}

// SSHSpec has the Pods of a Framework reach each other by ssh.
type SSHSpec struct {
	// Directory in which each container gets the Framework's key pair, read-only:
	// id_ed25519, id_ed25519.pub and authorized_keys, with config for ssh and
	// sshd_config for sshd. It is an absolute path of letters, digits, '.', '_'
	// and '-', such as /root/.ssh, where ssh looks by itself. The keys are in the
	// Secret {framework}-ssh, which goes with the Framework. If somebody deletes
	// it, or this path is changed, there are new ones.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^(/[A-Za-z0-9._-]+)+$`
	MountPath string `json:"mountPath"`
}
