// Package gang says of the question about an attempt what every scheduler with gangs wants to know: how many Pods there will
// be, how many of them have to be placed together, and what they request. It does no I/O.
package gang
