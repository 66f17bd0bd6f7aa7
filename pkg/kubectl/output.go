package kubectl

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"
)

// documentVersion is the version of the documents that -o json and -o yaml print. Fields are only added.
const documentVersion = "kubectl.frameworkcontroller.microsoft.com/v1"

// document is the header of such a document.
type document struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Framework and the Namespace that it is in.
	Framework string `json:"framework"`
	Namespace string `json:"namespace"`
	// FromHistory: the history server has it, from an attempt that has ended.
	FromHistory bool `json:"fromHistory,omitempty"`
}

func documentOf(kind string, s *stored) document {
	return document{APIVersion: documentVersion, Kind: kind, Framework: s.Name, Namespace: s.Namespace}
}

// output is the flag -o of a command, and the formats that it may have.
type output struct {
	format  string
	allowed []string
}

func (o *output) addFlag(cmd *cobra.Command, allowed ...string) {
	o.allowed = allowed
	cmd.Flags().StringVarP(&o.format, "output", "o", "", "Output format: "+alternatives(allowed)+".")
	if err := cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(allowed, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag does not exist
	}
}

func (o *output) check() error {
	if o.format == "" || slices.Contains(o.allowed, o.format) {
		return nil
	}
	return fmt.Errorf("-o %s: unknown output format; use %s", o.format, alternatives(o.allowed))
}

// isDocument reports whether the output is for programs.
func (o *output) isDocument() bool { return o.format == "json" || o.format == "yaml" }

// print prints a document. Files and pipes get every byte unchanged.
func (o *output) print(c *caller, doc any) error {
	text, err := json.MarshalIndent(doc, "", "    ")
	if err != nil {
		return err
	}
	if o.format == "yaml" {
		if text, err = yaml.JSONToYAML(text); err != nil {
			return err
		}
	}
	_, err = data(c.Out).Write(append(bytes.TrimRight(text, "\n"), '\n'))
	return err
}

// alternatives joins the parts of a choice, as in "json, yaml or name".
func alternatives(parts []string) string {
	last := len(parts) - 1
	if last == 0 {
		return parts[0]
	}
	return strings.Join(parts[:last], ", ") + " or " + parts[last]
}
