// Package volcano tests on a real API server that Volcano's own CRD accepts the objects of hints-volcano, with every field. Package standin
// plays Volcano's treatment of them.
package volcano
