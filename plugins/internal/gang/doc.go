// Package gang has what the plugins for schedulers with gangs share: the skeleton of such a plugin, Scheduler, and the facts about
// an attempt that every such scheduler needs: how many Pods it will have, how many of them have to be placed together, and what
// they request. It does no I/O.
package gang
