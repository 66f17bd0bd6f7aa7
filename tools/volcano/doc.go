// Package volcano tests the plugin hints-volcano with the types of Volcano itself. The plugin does not depend on them: it has its own types
// for the fields that it needs.
package volcano
