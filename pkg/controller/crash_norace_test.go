//go:build !race

package controller

const crashAtFew = false
