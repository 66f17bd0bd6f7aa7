// Package localpage serves the page of a history server on this machine, to one browser: Handler puts a door before the server and before
// the Frameworks that run now.
//
// It promises that nobody else on this machine gets an answer, and no page of another origin in the same browser:
//
//   - The address has a secret. It works once, and is exchanged for a cookie that scripts cannot read and other sites cannot send.
//
//   - Requests have to name the address of the listener as their host. Names that resolve to it are refused.
//
//   - Only reading requests are passed on.
//
//     door, address := localpage.NewDoor(listener.Addr().String(), next)
//     http.Serve(listener, door)
package localpage
