// Package plugintest checks that a plugin keeps to the contract, whatever its opinions: one suite per kind, for a test
// by the plugin's author. The decisions themselves are left to the author's own tests.
//
// A suite asks over gRPC, as the controller does, and so works on a plugin in Go without starting a program, and on a
// built program in any language:
//
//	func TestContract(t *testing.T) {
//		options := plugintest.Options{Parameters: map[string]any{"limit": 3}}
//		plugintest.Classifier(t, plugintest.InProcess(New), options)
//		plugintest.Classifier(t, plugintest.Binary(plugintest.Build(t, ".")), options)
//		plugintest.Classifier(t, plugintest.Binary("/usr/bin/node", "plugin.js"), options)
//	}
package plugintest
