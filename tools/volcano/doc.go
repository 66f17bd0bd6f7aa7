// Package volcano tests the plugin hints-volcano with the types of Volcano itself. They are no dependency of the plugin, which
// has its own for what it needs.
package volcano
