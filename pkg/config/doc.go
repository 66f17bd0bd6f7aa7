// Package config reads how the controller is told to run: its configuration file, its flags, and from both,
// with the environment, which API server to talk to.
//
// It promises that every file that the original accepts without a mistake in it is accepted unchanged, with
// the same keys and defaults (contract 9.1), except where decisions say otherwise: an unknown key is an error,
// and without kubeClientQps and kubeClientBurst there is no client-side rate limit. A mistake is told in one
// line that names the file, the line, the key and the way out; several mistakes are told together, except those
// that may only follow from another. What the values mean is left to those who use them, and the rules of
// podFailureSpec to package completion. Of a file that changes while the controller runs, only plugins may count: File
// notices the change, and ChangedKeys names the rest.
//
//	flags, err := config.ParseFlags(os.Args[1:], os.Stderr)
//	cfg, err := config.Load(flags.ConfigPath) // or that of a File
//	connection, err := cfg.Connection(config.Environment{Getenv: os.Getenv, Exists: config.FileExists})
//	restConfig, err := cfg.RESTConfig(connection)
//	log.Debug("configuration", "effective", cfg.Redacted())
package config
