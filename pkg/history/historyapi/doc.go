// Package historyapi has the JSON types of the history server's API, under /api/v1. The server writes them, and commands read
// them. Fields are only ever added.
package historyapi
