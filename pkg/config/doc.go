// Package config reads the controller's configuration file and its flags, and chooses from both, with the environment, the API server to
// connect to.
//
// It promises that every valid file of the original is accepted unchanged, with the same keys and defaults (contract 9.1), except where
// decisions say otherwise: an unknown key is an error, and without kubeClientQps and kubeClientBurst there is no client-side rate limit. A
// mistake is reported in one line that names the file, the line, the key and the remedy; several mistakes are reported together, without
// mistakes that may only follow from another. The meaning of the values is left to their users, and the rules of podFailureSpec to package
// completion. If the file changes while the controller runs, only plugins may take effect: File notices the change, and ChangedKeys names
// the other keys.
//
//	flags, err := config.ParseFlags(os.Args[1:], os.Stderr)
//	cfg, err := config.Load(flags.ConfigPath) // or the method of a File
//	connection, err := cfg.Connection(config.Environment{Getenv: os.Getenv, Exists: config.FileExists})
//	restConfig, err := cfg.RESTConfig(connection)
//	log.Debug("configuration", "effective", cfg.Redacted())
package config
