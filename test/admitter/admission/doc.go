// Package admission is the side of the scheduler, which tests play: they define the objects by which the plugin admitter asks, and answer.
package admission
