package completion

import "testing"

func TestClassifyCreationError(t *testing.T) {
	tests := []struct {
		name string
		err  CreationError
		want Code
	}{
		{"unrecognized object", CreationError{Reason: "BadRequest", Status: 400, Message: "the object provided is unrecognized (must be of type Pod)"}, -120},
		{"exhausted quota", CreationError{Reason: "Forbidden", Status: 403, Message: "forbidden: exceeded quota: q, requested: pods=1"}, -120},
		{"bad request", CreationError{Reason: "BadRequest", Status: 400}, -310},
		{"value of the wrong type", unreadable("json: cannot unmarshal number into Go struct field EnvVar.spec.containers.env.value of type string"), -200},
		{"no quantity", unreadable(`quantities must match the regular expression '^([+-]?[0-9.]+)$'`), -200},
		{"webhook that says so with 400", CreationError{Reason: "BadRequest", Status: 400,
			Message: `admission webhook "w" denied the request: Pod in version "v1" cannot be handled as a Pod: no`}, -310},
		{"other text of what cannot be read", CreationError{Reason: "BadRequest", Status: 400, Message: "ConfigMap in version \"v1\" cannot be handled"}, -310},
		{"missing ServiceAccount", forbiddenPod(`error looking up service account a/default: serviceaccount "default" not found`), -120},
		{"ServiceAccount that cannot be looked up", forbiddenPod(`error looking up service account a/default: etcdserver: request timed out`), -120},
		{"Secret that a ServiceAccount does not have", forbiddenPod(`volume with secret.secretName="s" is not allowed because service account b does not reference that secret`), -310},
		{"missing PriorityClass", forbiddenPod("no PriorityClass with name p was found"), -120},
		{"missing RuntimeClass", forbiddenPod(`pod rejected: RuntimeClass "r" not found`), -120},
		{"PriorityClass missing for a minute", waited(forbiddenPod("no PriorityClass with name p was found")), -310},
		{"RuntimeClass missing for a minute", waited(forbiddenPod(`pod rejected: RuntimeClass "r" not found`)), -310},
		{"ServiceAccount missing for a minute", waited(forbiddenPod(`error looking up service account a/b: serviceaccount "b" not found`)), -120},
		{"RuntimeClass of another overhead", forbiddenPod("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"), -310},
		{"quota that is not counted yet", forbiddenPod("status unknown for quota: q, resources: pods"), -120},
		{"quota that is not there", forbiddenPod("insufficient quota to consume: pods"), -120},
		{"quota that wants requests", forbiddenPod("failed quota: q: must specify requests.cpu"), -310},
		{"API server that has just started", forbiddenPod("not yet ready to handle request"), -120},
		{"limits that cannot be read", forbiddenPod("unable to CREATE pods at this time because there was an error enforcing limit ranges"), -120},
		{"beyond a limit", forbiddenPod("maximum cpu usage per Container is 1, but limit is 2"), -310},
		{"Pod Security", forbiddenPod(`violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)`), -310},
		{"terminating namespace", forbiddenPod("unable to create new content in namespace a because it is being terminated"), -310},
		{"such a text in what is invalid", CreationError{Reason: "Invalid", Status: 422, Message: `error looking up service account a/b: serviceaccount "b" not found`}, -200},
		{"malformed Pod", CreationError{Reason: "Invalid", Status: 422}, -200},
		{"too large", CreationError{Reason: "RequestEntityTooLarge", Status: 413}, -200},
		{"invalid, but the connection broke", CreationError{Reason: "Invalid", Status: 422, ConnectionLost: true}, -310},
		{"too large, but the connection broke", CreationError{Reason: "RequestEntityTooLarge", Status: 413, ConnectionLost: true}, -310},
		{"refused by a webhook with 400", CreationError{Status: 400}, -310},
		{"refused by a webhook with 403 and its own reason", CreationError{Reason: "PolicyDenied", Status: 403}, -310},
		{"refused by a webhook with 422", CreationError{Status: 422}, -200},
		{"413 of a proxy", CreationError{Status: 413}, -200},
		{"the reason beats the number", CreationError{Reason: "Invalid", Status: 400}, -200},
		{"already exists", CreationError{Reason: "AlreadyExists", Status: 409}, -120},
		{"conflict", CreationError{Reason: "Conflict", Status: 409}, -120},
		{"namespace not found", CreationError{Reason: "NotFound", Status: 404}, -120},
		{"unauthorized", CreationError{Reason: "Unauthorized", Status: 401}, -120},
		{"timeout", CreationError{Reason: "Timeout", Status: 504}, -120},
		{"server timeout", CreationError{Reason: "ServerTimeout", Status: 504}, -120},
		{"too many requests", CreationError{Reason: "TooManyRequests", Status: 429}, -120},
		{"webhook timeout", CreationError{Reason: "InternalError", Status: 500, Message: "failed calling webhook: context deadline exceeded"}, -120},
		{"network", CreationError{Message: "connection refused", ConnectionLost: true}, -120},
		{"nothing known", CreationError{}, -120},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ClassifyCreationError(tt.err); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func forbiddenPod(why string) CreationError {
	return CreationError{Reason: "Forbidden", Status: 403, Message: `pods "a-w-0" is forbidden: ` + why}
}

func unreadable(why string) CreationError {
	return CreationError{Reason: "BadRequest", Status: 400, Message: `Pod in version "v1" cannot be handled as a Pod: ` + why}
}

func waited(e CreationError) CreationError {
	e.Waited = ClassPatience
	return e
}

func TestLacks(t *testing.T) {
	tests := []struct {
		err  CreationError
		want string
	}{
		{forbiddenPod(`error looking up service account a/b: serviceaccount "b" not found`), "ServiceAccountNotFound"},
		{forbiddenPod("no PriorityClass with name p was found"), "PriorityClassNotFound"},
		{forbiddenPod(`pod rejected: RuntimeClass "r" not found`), "RuntimeClassNotFound"},
		{waited(forbiddenPod("no PriorityClass with name p was found")), ""},
		{forbiddenPod("error looking up service account a/b: etcdserver: request timed out"), ""},
		{forbiddenPod("exceeded quota: q, requested: pods=1"), ""},
		{CreationError{Reason: "Invalid", Status: 422, Message: "no PriorityClass with name p was found"}, ""},
	}
	for _, tt := range tests {
		if got := tt.err.Lacks(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.err.Message, got, tt.want)
		}
	}
}
