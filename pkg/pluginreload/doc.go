// Package pluginreload keeps the plugins of a host in line with the configuration file, while the controller runs.
//
// It reads the file again when it has changed, or on a signal. A file with a mistake changes nothing. From a good file
// only the plugins take effect, and the log names the other keys that were changed. A change of a plugin's health is
// logged once.
//
//	host, stop := pluginreload.Start(pluginreload.Options{File: file, Config: c, ...})
//	defer stop()
//
//	file or signal -> load -> default parameters -> host.Reload
//	                                                    |
//	                     log, PoliciesChanged  <-  change of health
package pluginreload
