// Package apiserver connects the controller to the API server, and handles slow answers, refusals, silence, absence and
// return.
//
// It makes no decisions about Frameworks. Its callers send requests over Clients, and ask the Server about the state of the
// API server.
//
// # Words
//
//   - Clients are the connections: each watch has one of its own, and reads and writes have others.
//   - A connection is silent if nothing arrives on it. A watch gives up a silent one, and redials while the server is away.
//   - An error answer is shortened before anybody keeps it: the API server sets no limit.
//   - The Server is in contact as long as its checks are answered. Absence and return are logged once each.
//   - Served is the part of the controller's needs that is served: nothing, Frameworks, or their status subresource too. A
//     missing part is reinstalled from the CRD's manifest.
//   - Events are sent through several queues, so that a webhook of one namespace does not delay the events of all namespaces.
//
// # Data flow
//
//	rest.Config -> connection -> Clients -> Send -> shortened answer
//	                                |
//	                    Server <- look: contact, served, absence
package apiserver
