// Package apiserver connects the controller to the API server, and knows its habits: how it answers, refuses, is silent, and
// comes back.
//
// It decides nothing about Frameworks. Its callers send requests over Clients, and ask the Server how it is.
//
// # Words
//
//   - Clients are the connections: each watch has one of its own, and reads and writes have others.
//   - A connection is silent if nothing arrives on it. A watch gives up a silent one, and redials while the server is away.
//   - An answer that is an error is shortened before anybody keeps it: the API server says as much as it likes.
//   - The Server is in contact as long as looks at it are answered. Its absence is logged once, and its return.
//   - Served is what it serves of what the controller needs: nothing, Frameworks, or their status subresource too. What is
//     missing is installed again, from the CRD's manifest.
//   - Events are sent through several queues, so that a webhook of one namespace does not hold up those of all.
//
// # Data flow
//
//	rest.Config -> connection -> Clients -> Send -> shortened answer
//	                                |
//	                    Server <- look: contact, served, absence
package apiserver
