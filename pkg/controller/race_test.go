//go:build race

package controller

import "time"

// underRace is whether the race detector is active, which makes everything several times slower and takes memory itself.
const underRace = true

// patience is the time that a test waits for something that must happen.
const patience = 2 * time.Minute

// atATime is how many tests run at a time.
const atATime = 16
