// Command openapi prints the schema of a CRD manifest as the OpenAPI 2 document that applyconfiguration-gen reads. So
// server-side apply in the generated fake client knows the same lists and maps as the API server.
//
//	openapi <manifest> <package path of the Go type>
package main

import (
	"encoding/json"
	"log"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/kube-openapi/pkg/util"
	"sigs.k8s.io/yaml"
)

func main() {
	log.SetFlags(0)
	document, err := convert(os.Args[1], os.Args[2])
	if err != nil {
		log.Fatalf("converting the CRD schema to OpenAPI: %v", err)
	}
	os.Stdout.Write(document)
}

func convert(manifest, pkg string) ([]byte, error) {
	text, err := os.ReadFile(manifest)
	if err != nil {
		return nil, err
	}
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return nil, err
	}
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	dropNullable(root)
	// A CRD leaves the rest of metadata to the API server.
	keep := true
	metadata := root.Properties["metadata"]
	metadata.XPreserveUnknownFields = &keep
	root.Properties["metadata"] = metadata
	return json.Marshal(map[string]any{
		"swagger":     "2.0",
		"info":        map[string]any{"title": crd.Name, "version": "v1"},
		"paths":       map[string]any{},
		"definitions": map[string]any{util.ToRESTFriendlyName(pkg + "." + crd.Spec.Names.Kind): root},
	})
}

// dropNullable removes nullable, which OpenAPI 2 lacks.
func dropNullable(schema *apiextensionsv1.JSONSchemaProps) {
	schema.Nullable = false
	for name, property := range schema.Properties {
		dropNullable(&property)
		schema.Properties[name] = property
	}
	if schema.Items != nil {
		dropNullable(schema.Items.Schema)
	}
}
