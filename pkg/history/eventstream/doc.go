// Package eventstream writes server-sent events, which browsers read by EventSource.
//
// It promises that each event leaves at once and uncompressed, and that proxies are asked not to keep it. A client that takes too long for one event
// loses its connection. The time limits of the HTTP server do not end a stream that is in use. The caller decides when a stream ends, and who may read it.
//
//	out := eventstream.Begin(w)
//	if err := out.Send("changed", historyapi.Change{Time: now}); err != nil {
//		return // the client has gone
//	}
package eventstream
