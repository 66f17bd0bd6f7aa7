// Package admission is the side of the scheduler, which tests play: they define what the plugin admitter asks by, and answer.
package admission
