//go:build race

package controller

import "time"

// underRace says whether the race detector watches, which makes everything several times slower and takes memory itself.
const underRace = true

// patience is how long a test waits for what must happen.
const patience = 2 * time.Minute

// atATime is how many tests run at a time.
const atATime = 16
