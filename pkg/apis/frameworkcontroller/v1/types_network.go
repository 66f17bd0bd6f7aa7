package v1

// NetworkSpec determines the names by which the Pods of a Framework find each other.
type NetworkSpec struct {
	// Give each Pod a name that the cluster's DNS resolves:
	// {framework}-{role}-{index}.{framework}.{namespace}.svc. The controller
	// creates a headless Service with the Framework's name. A Pod gets its own
	// name as hostname and the Framework's name as subdomain, unless its template
	// sets others. Before Kubernetes 1.35, the Framework's name must begin with a
	// letter; a Pod's name may have at most 63 characters. The Service is kept
	// across attempts, is repaired if somebody deletes or changes it, and is
	// deleted with the Framework or with this field.
	// +optional
	DNS bool `json:"dns,omitempty"`

	// Whether the names resolve as soon as a Pod has an address. If false, only
	// the names of ready Pods resolve, and a Pod that waits for the others before
	// it becomes ready waits forever.
	// +kubebuilder:default=true
	// +optional
	PublishNotReadyAddresses *bool `json:"publishNotReadyAddresses,omitempty"`
}

// SSHSpec lets the Pods of a Framework reach each other by ssh.
type SSHSpec struct {
	// Directory in which each container gets the Framework's key pair, read-only:
	// id_ed25519, id_ed25519.pub and authorized_keys, with config for ssh and
	// sshd_config for sshd. It is an absolute path of letters, digits, '.', '_'
	// and '-', such as /root/.ssh, the default directory of ssh. The keys are
	// stored in the Secret {framework}-ssh, which is deleted with the Framework.
	// If somebody deletes the Secret, or this path changes, new keys are created.
	// +kubebuilder:validation:MaxLength=255
	// +kubebuilder:validation:Pattern=`^(/[A-Za-z0-9._-]+)+$`
	MountPath string `json:"mountPath"`
}
