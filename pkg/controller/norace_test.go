//go:build !race

package controller

import "time"

const (
	underRace = false
	patience  = 20 * time.Second
	atATime   = 64
)
