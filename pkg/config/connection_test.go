package config

import (
	"slices"
	"strings"
	"testing"
)

func TestConnection(t *testing.T) {
	const home = "/home/u/.kube/config"
	tests := []struct {
		name  string
		file  string
		env   map[string]string
		exist []string
		want  Connection
	}{
		{"nothing", `{}`, nil, nil, Connection{}},
		{"file in the configuration, need not exist", `kubeConfigFilePath: /a`, nil, nil, Connection{Kubeconfig: "/a"}},
		{"the configuration beats the environment", `kubeConfigFilePath: /a`, map[string]string{"KUBECONFIG": "/b"}, []string{"/b"}, Connection{Kubeconfig: "/a"}},
		{"KUBECONFIG", `{}`, map[string]string{"KUBECONFIG": "/b", "HOME": "/home/u"}, []string{"/b", home}, Connection{Kubeconfig: "/b"}},
		{"KUBECONFIG that does not exist", `{}`, map[string]string{"KUBECONFIG": "/b", "HOME": "/home/u"}, []string{home}, Connection{Kubeconfig: home}},
		{"KUBECONFIG with a colon in the name of a file", `{}`, map[string]string{"KUBECONFIG": "/b:c"}, []string{"/b:c"}, Connection{Kubeconfig: "/b:c"}},
		{"a list does not matter if the key is set", `kubeConfigFilePath: ''`, map[string]string{"KUBECONFIG": "/b:/c"}, nil, Connection{}},
		{"home", `{}`, map[string]string{"HOME": "/home/u"}, []string{home}, Connection{Kubeconfig: home}},
		{"home without a file", `{}`, map[string]string{"HOME": "/home/u"}, nil, Connection{}},
		{"no home", `{}`, nil, []string{".kube/config", "/.kube/config"}, Connection{}},
		{"an empty key keeps the environment out", `kubeConfigFilePath: ''`, map[string]string{"KUBECONFIG": "/b", "HOME": "/home/u"}, []string{"/b", home}, Connection{}},
		{"a null key is absent", `kubeConfigFilePath: `, map[string]string{"KUBECONFIG": "/b"}, []string{"/b"}, Connection{Kubeconfig: "/b"}},

		{"address", `kubeApiServerAddress: http://a`, nil, nil, Connection{Address: "http://a"}},
		{"address of the environment", `{}`, map[string]string{"KUBE_APISERVER_ADDRESS": "http://e"}, nil, Connection{Address: "http://e"}},
		{"the address of the configuration wins", `kubeApiServerAddress: http://a`, map[string]string{"KUBE_APISERVER_ADDRESS": "http://e"}, nil, Connection{Address: "http://a"}},
		{"an empty address keeps the environment out", `kubeApiServerAddress: ''`, map[string]string{"KUBE_APISERVER_ADDRESS": "http://e"}, nil, Connection{}},
		{"both", `{kubeApiServerAddress: http://a, kubeConfigFilePath: /a}`, nil, nil, Connection{"/a", "http://a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse(t, tt.file).Connection(environment(tt.env, tt.exist...))
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func environment(variables map[string]string, files ...string) Environment {
	return Environment{
		Getenv: func(name string) string { return variables[name] },
		Exists: func(path string) bool { return slices.Contains(files, path) },
	}
}

func TestConnectionRefusesAListOfFiles(t *testing.T) {
	_, err := Default().Connection(environment(map[string]string{"KUBECONFIG": "/b:/c", "HOME": "/home/u"}, "/b", "/c", "/home/u/.kube/config"))
	if err == nil || !strings.HasPrefix(err.Error(), `KUBECONFIG: "/b:/c" is a list of files`) {
		t.Errorf("got %v", err)
	}
}

func TestConnectionString(t *testing.T) {
	tests := map[Connection]string{
		{}:                    "in-cluster",
		{Kubeconfig: "/a"}:    "kubeconfig /a",
		{Address: "http://a"}: "http://a without credentials",
		{"/a", "http://a"}:    "http://a with kubeconfig /a",
	}
	for c, want := range tests {
		if c.String() != want {
			t.Errorf("got %s, want %s", c, want)
		}
	}
}

func TestFileExists(t *testing.T) {
	if !FileExists("doc.go") || FileExists("no such file") {
		t.Error("FileExists is wrong")
	}
}
