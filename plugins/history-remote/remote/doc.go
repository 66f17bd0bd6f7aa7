// Package remote sends the records of the history to a server over HTTPS, with a token.
//
// It promises to acknowledge a record only once the server has stored it, or once it is in the spool on disk. While the
// server is away, or answers that it has no time, records go to the spool, if one is configured, and are sent in their order
// later. A record that the server refuses for good is logged, acknowledged and dropped, and only that one. The token is
// sent to the configured server alone.
//
//	plugin.Serve(remote.New())
//
// How a record travels:
//
//	Store -> client.send -> POST /api/v1/records -> stored, or refused for good -> acknowledged
//	  |                                    |
//	  +---------- the server is away ------+----> spool -> acknowledged
//	                                                |
//	                        server <- client.send <- replay
package remote
