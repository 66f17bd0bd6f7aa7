package main

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// The parts of an SPDX 2.3 document that are used here.
type (
	spdxDocument struct {
		Version       string             `json:"spdxVersion"`
		License       string             `json:"dataLicense"`
		ID            string             `json:"SPDXID"`
		Name          string             `json:"name"`
		Namespace     string             `json:"documentNamespace"`
		Creation      spdxCreation       `json:"creationInfo"`
		Packages      []spdxPackage      `json:"packages"`
		Relationships []spdxRelationship `json:"relationships"`
	}
	spdxCreation struct {
		Created  string   `json:"created"`
		Creators []string `json:"creators"`
	}
	spdxPackage struct {
		Name      string         `json:"name"`
		ID        string         `json:"SPDXID"`
		Version   string         `json:"versionInfo"`
		File      string         `json:"packageFileName,omitempty"`
		Location  string         `json:"downloadLocation"`
		Analyzed  bool           `json:"filesAnalyzed"`
		Checksums []spdxChecksum `json:"checksums,omitempty"`
		Source    string         `json:"sourceInfo,omitempty"`
		Concluded string         `json:"licenseConcluded"`
		Declared  string         `json:"licenseDeclared"`
		Copyright string         `json:"copyrightText"`
		External  []spdxExternal `json:"externalRefs,omitempty"`
		Purpose   string         `json:"primaryPackagePurpose,omitempty"`
	}
	spdxChecksum struct {
		Algorithm string `json:"algorithm"`
		Value     string `json:"checksumValue"`
	}
	spdxExternal struct {
		Category string `json:"referenceCategory"`
		Type     string `json:"referenceType"`
		Locator  string `json:"referenceLocator"`
	}
	spdxRelationship struct {
		Element string `json:"spdxElementId"`
		Type    string `json:"relationshipType"`
		Related string `json:"relatedSpdxElement"`
	}
)

const (
	noAssertion = "NOASSERTION"
	ownLicense  = "MIT"
)

// sbom collects the packages of a document, each once.
type sbom struct {
	spdxDocument
	known map[string]bool
}

// writeSBOM lists each program of the release, read from the artifacts themselves, with the Go modules that it consists
// of, the standard library, and the shell of the images.
func (r *release) writeSBOM(context.Context) error {
	s := &sbom{known: map[string]bool{}}
	s.Version, s.License, s.ID = "SPDX-2.3", "CC0-1.0", "SPDXRef-DOCUMENT"
	s.Name = "frameworkcontroller-" + r.version.String()
	s.Namespace = repository + "/sbom/" + r.version.String() + "/" + r.commit
	s.Creation = spdxCreation{r.time.Format(time.RFC3339), []string{"Tool: frameworkcontroller-release-" + r.version.String(), "Organization: FrameworkController"}}
	for _, p := range r.programs {
		s.add(r, p)
	}
	slices.SortFunc(s.Relationships, func(a, b spdxRelationship) int {
		return strings.Compare(a.Element+a.Type+a.Related, b.Element+b.Type+b.Related)
	})
	text, err := indented(s.spdxDocument)
	if err != nil {
		return err
	}
	return r.write("sbom.spdx.json", text)
}

func (s *sbom) add(r *release, p program) {
	if p.info == nil {
		id := s.packageOnce(shellPackage(p))
		s.relate(s.ID, "DESCRIBES", id)
		return
	}
	id := s.packageOnce(spdxPackage{
		Name: p.name, ID: spdxID("Program", p.artifact, p.name), Version: r.version.String(), File: p.artifact,
		Location: r.published(p.artifact), Checksums: []spdxChecksum{{"SHA256", p.sha256}}, Source: "git commit " + r.commit + ", " + p.platform,
		Concluded: ownLicense, Declared: ownLicense, Copyright: noAssertion, Purpose: "APPLICATION",
	})
	s.relate(s.ID, "DESCRIBES", id)
	s.relate(id, "DEPENDS_ON", s.packageOnce(module("stdlib", strings.TrimPrefix(p.info.GoVersion, "go"), "BSD-3-Clause")))
	for _, m := range p.info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		s.relate(id, "DEPENDS_ON", s.packageOnce(module(m.Path, m.Version, noAssertion)))
	}
}

// module is a Go module, as the registry of package URLs writes it.
func module(path, version, license string) spdxPackage {
	location := "https://proxy.golang.org/" + proxyPath(path) + "/@v/" + proxyPath(version) + ".zip"
	if path == "stdlib" {
		location = "https://go.dev/dl/go" + version + ".src.tar.gz"
	}
	return spdxPackage{
		Name: path, ID: spdxID("Module", path, version), Version: version, Location: location,
		Concluded: noAssertion, Declared: license, Copyright: noAssertion, Purpose: "LIBRARY",
		External: []spdxExternal{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + purlPath(path) + "@" + url.QueryEscape(version)}},
	}
}

// proxyPath is a path or version as the Go module proxy spells it: an upper case letter is an exclamation mark and the lower case one.
func proxyPath(text string) string {
	return capitals.ReplaceAllStringFunc(text, func(letter string) string { return "!" + strings.ToLower(letter) })
}

var capitals = regexp.MustCompile(`[A-Z]`)

// purlPath is a path as package URLs of Go spell it: in lower case, and each part is percent-encoded.
func purlPath(path string) string {
	parts := strings.Split(strings.ToLower(path), "/")
	for i, part := range parts {
		parts[i] = url.QueryEscape(part)
	}
	return strings.Join(parts, "/")
}

func shellPackage(p program) spdxPackage {
	return spdxPackage{
		Name: "busybox", ID: spdxID("Shell", p.artifact, p.shell.version), Version: p.shell.version, File: p.artifact,
		Location: noAssertion, Checksums: []spdxChecksum{{"SHA256", p.sha256}}, Source: p.shell.source + ", " + p.platform,
		Concluded: "GPL-2.0-only", Declared: "GPL-2.0-only", Copyright: noAssertion, Purpose: "APPLICATION",
	}
}

var notInIDs = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

func spdxID(parts ...string) string {
	return fmt.Sprintf("SPDXRef-%s", notInIDs.ReplaceAllString(strings.Join(parts, "-"), "-"))
}

func (s *sbom) packageOnce(p spdxPackage) string {
	if !s.known[p.ID] {
		s.known[p.ID] = true
		s.Packages = append(s.Packages, p)
	}
	return p.ID
}

func (s *sbom) relate(element, kind, related string) {
	relationship := spdxRelationship{element, kind, related}
	if !slices.Contains(s.Relationships, relationship) {
		s.Relationships = append(s.Relationships, relationship)
	}
}
