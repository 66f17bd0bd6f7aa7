// Package history runs the controller with the shipped sink and a history server, and kills all of them. Afterwards, the history must have
// each attempt exactly once, and no other.
package history
